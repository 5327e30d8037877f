internal import COpenSSL

/// SHA-256, FIPS 180-4.
public enum SHA256 {
    /// The number of bytes in a digest.
    public static let byteCount = 32

    /// The digest of `bytes`: 32 bytes.
    @inlinable
    public static func digest(of bytes: some Collection<UInt8>) -> [UInt8] {
        withContiguousBytes(of: bytes) { digest(ofContiguous: $0) }
    }

    @usableFromInline
    static func digest(ofContiguous input: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            write(digestOf: input, to: output)
            count = byteCount
        }
    }

    /// The digest of `text`'s UTF-8, as 64 lower-case hexadecimal digits.
    public static func hexadecimal(of text: String) -> String {
        withContiguousBytes(of: text.utf8) { input in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { digest in
                write(digestOf: input, to: digest)
                return Hexadecimal.lowercase(UnsafeBufferPointer(digest))
            }
        }
    }

    /// Fetched once: OpenSSL 3 looks the algorithm up by name on every use otherwise, which costs more than a short
    /// digest.
    private static let algorithm = DigestAlgorithm.sha256

    private static func write(digestOf input: UnsafeBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>)
    {
        let status = EVP_Digest(input.baseAddress, input.count, output.baseAddress, nil, algorithm.pointer, nil)
        precondition(status == 1, "libcrypto has no working SHA-256: the process cannot keep any of its promises")
    }
}
