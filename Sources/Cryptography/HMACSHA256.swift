internal import COpenSSL

/// HMAC with SHA-256: RFC 2104 over FIPS 180-4.
public enum HMACSHA256 {
    /// The number of bytes in an authentication code.
    public static let byteCount = SHA256.byteCount

    /// The authentication code of `message` under `key`: 32 bytes.
    ///
    /// - Parameter key: a secret, 32 random bytes at best; a shorter one weakens the code, a longer one does not
    ///   strengthen it (RFC 2104 §3).
    public static func code(for message: some Collection<UInt8>, key: some Collection<UInt8>) -> [UInt8] {
        withContiguousBytes(of: key) { key in
            withContiguousBytes(of: message) { message in code(forContiguous: message, key: key) }
        }
    }

    /// Whether `code` is the authentication code of `message` under `key`, compared in constant time.
    ///
    /// A code that was cut short is not valid.
    public static func isValid(
        _ code: [UInt8], for message: some Collection<UInt8>, key: some Collection<UInt8>
    ) -> Bool {
        ConstantTime.equal(code, self.code(for: message, key: key))
    }

    private static func code(
        forContiguous message: UnsafeBufferPointer<UInt8>, key: UnsafeBufferPointer<UInt8>
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            let end = EVP_Q_mac(
                nil, "HMAC", nil, "SHA256", nil, key.baseAddress, key.count, message.baseAddress, message.count,
                output.baseAddress, byteCount, &count)
            precondition(
                end != nil && count == byteCount,
                "libcrypto has no working HMAC: the process cannot tell what it made from what was forged")
        }
    }
}
