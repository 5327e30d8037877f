internal import Cryptography
internal import JSON

/// The JSON Web Token by which a service account asks for an access token (RFC 7523 §2.1 and §3).
///
/// [Preparing to make an authorized API call](https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests):
/// RS256 over `{"alg":"RS256","typ":"JWT","kid":…}` and `{"iss":…,"scope":…,"aud":…,"iat":…,"exp":…}`.
enum AccessTokenAssertion {
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    /// The most Google takes, in seconds.
    private static let lifetime: Int64 = 3_600

    /// - Parameter issuedAt: seconds since 1970.
    static func signed(by account: ServiceAccount, issuedAt: Int64) throws(CryptographyError) -> String {
        let header: JSONValue = ["alg": "RS256", "typ": "JWT", "kid": .string(account.privateKeyID)]
        let claims: JSONValue = [
            "iss": .string(account.clientEmail), "scope": .string(scope), "aud": .string(account.tokenURI),
            "iat": .integer(issuedAt), "exp": .integer(issuedAt + lifetime),
        ]
        return try CompactJWS(
            header: header.serialized, payload: claims.serialized, sign: account.privateKey.signature
        ).text
    }
}
