package import Cryptography

/// The texts of a sender's private key.
package enum VAPIDKey {
    /// Reads a key: PEM, or the 32 bytes in base64url that tools for Web Push print.
    package static func read(_ text: String) throws(CryptographyError) -> ES256PrivateKey {
        let trimmed = text.split(whereSeparator: \.isWhitespace)
        guard trimmed.count == 1, let scalar = Base64URL.decode(trimmed[0]) else {
            return try ES256PrivateKey(pem: text)
        }
        return try ES256PrivateKey(scalar: scalar)
    }
}
