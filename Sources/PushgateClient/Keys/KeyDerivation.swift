/// HMAC with SHA-256 (RFC 2104), and the keys that HKDF derives by it (RFC 5869).
enum KeyDerivation {
    /// The number of bytes in a block of SHA-256.
    private static let blockSize = 64

    /// Returns the authentication code of a message: 32 bytes.
    static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        let key = key.count > blockSize ? SHA256Digest.bytes(of: key) : key
        let block = key + [UInt8](repeating: 0, count: blockSize - key.count)
        let inner = SHA256Digest.bytes(of: block.map { $0 ^ 0x36 } + message)
        return SHA256Digest.bytes(of: block.map { $0 ^ 0x5C } + inner)
    }

    /// Returns a pseudorandom key of 32 bytes (RFC 5869 §2.2).
    static func extract(_ secret: [UInt8], salt: [UInt8]) -> [UInt8] { code(for: secret, key: salt) }

    /// Returns bytes that depend on a pseudorandom key and on their use (RFC 5869 §2.3).
    ///
    /// - Parameters:
    ///   - info: The use.
    ///   - count: The number of bytes, 32 at most: one block of the expansion.
    static func expand(_ key: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        Array(code(for: info + [1], key: key).prefix(count))
    }
}
