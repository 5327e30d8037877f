package import Cryptography
import JSON

/// The JSON Web Token that identifies a sender to one push service (RFC 8292 §2).
package enum VAPIDToken {
    /// Returns a signed token.
    ///
    /// - Parameters:
    ///   - audience: The origin of the endpoints, such as `https://web.push.apple.com`.
    ///   - subject: The address at which the service reaches the sender's operator: `mailto:` or `https:`.
    ///   - expiration: The seconds since 1970, at most 24 hours from now.
    package static func signed(
        audience: String, subject: String, expiration: Int64, with key: ES256PrivateKey
    ) throws(CryptographyError) -> String {
        let header: JSONValue = ["typ": "JWT", "alg": "ES256"]
        let claims: JSONValue = ["aud": .string(audience), "exp": .integer(expiration), "sub": .string(subject)]
        return try CompactJWS(header: header.serialized, payload: claims.serialized, sign: key.signature).text
    }

    /// Returns the value of the field `Authorization` (RFC 8292 §3).
    ///
    /// - Parameter publicKey: The key's point in base64url: 87 characters.
    package static func authorization(_ token: String, publicKey: String) -> String {
        "vapid t=\(token), k=\(publicKey)"
    }
}
