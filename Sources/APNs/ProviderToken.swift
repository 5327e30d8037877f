internal import Cryptography
internal import JSON
import Synchronization

/// The JSON Web Token that says who sends.
///
/// [Establishing a token-based connection](https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns):
/// ES256 over `{"alg":"ES256","kid":…}` and `{"iss":…,"iat":…}`; `iat` whole seconds, at most an hour old.
enum ProviderToken {
    /// Tokens change every half hour of the clock: Apple wants no more than one in 20 minutes and no fewer than one in 60.
    static let slotSeconds: Int64 = 1_800

    /// The `iat` of the token in use at a time: the beginning of its slot, so that processes that start at different
    /// moments agree.
    static func issuedAt(_ time: Int64) -> Int64 { time - time % slotSeconds }

    static func signed(with key: ES256PrivateKey, keyID: String, teamID: String, issuedAt: Int64)
        throws(CryptographyError) -> String
    {
        let header: JSONValue = ["alg": "ES256", "kid": .string(keyID)]
        let claims: JSONValue = ["iss": .string(teamID), "iat": .integer(issuedAt)]
        return try CompactJWS(header: header.serialized, payload: claims.serialized, sign: key.signature).text
    }
}
