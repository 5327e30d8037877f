/// HKDF with SHA-256 (RFC 5869): keys from a secret.
package enum HKDFSHA256 {
    /// The greatest number of bytes of one expansion (RFC 5869 §2.3).
    package static let maximumByteCount = 255 * HMACSHA256.byteCount

    /// Returns a pseudorandom key of 32 bytes (RFC 5869 §2.2).
    package static func extract(_ secret: [UInt8], salt: [UInt8]) -> [UInt8] {
        HMACSHA256.code(forBytes: secret, key: salt)
    }

    /// Returns bytes that depend on a pseudorandom key and on their use (RFC 5869 §2.3).
    ///
    /// - Parameters:
    ///   - info: the use.
    ///   - count: the number of bytes. There are at most ``maximumByteCount``.
    package static func expand(_ key: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        let count = min(count, maximumByteCount)
        var (output, block, number) = ([UInt8](), [UInt8](), UInt8(0))
        while output.count < count {
            number += 1
            block = HMACSHA256.code(forBytes: block + info + [number], key: key)
            output += block
        }
        return Array(output.prefix(count))
    }
}
