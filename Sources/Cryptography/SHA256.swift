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
        withDigest(of: text.utf8) { Hexadecimal.lowercase($0) }
    }

    /// Lends the digest of `bytes`: 32 bytes, in no memory of their own.
    @inlinable
    public static func withDigest<Result>(
        of bytes: some Collection<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        withContiguousBytes(of: bytes) { input in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { digest in
                write(digestOf: input, to: digest)
                return body(UnsafeBufferPointer(digest))
            }
        }
    }

    @usableFromInline
    static func write(digestOf input: UnsafeBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>) {
        var state = SHA256State()
        state.update(input)
        state.finish(to: output)
    }
}
