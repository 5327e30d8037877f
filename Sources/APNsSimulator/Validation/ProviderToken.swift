import Cryptography
import JSON

/// What a provider token says, without its signature.
///
/// Apple, "Establishing a token-based connection to APNs": a JWT with the header `{"alg":"ES256","kid":…}` and the
/// claims `{"iss":…,"iat":…}`.
public struct ProviderToken: Hashable, Sendable {
    /// The `kid` of the JWT's header.
    public let keyID: String
    /// The `iss` claim.
    public let teamID: String
    /// The `iat` claim: seconds since 1970.
    public let issuedAt: Int64
}

/// A provider token taken apart but not yet believed.
struct CompactJWT {
    let token: ProviderToken
    /// Its signature is r‖s, 64 bytes (RFC 7518 §3.4). One in DER is not 64 bytes of this form: such a JWT is unreadable.
    let jws: CompactJWS

    /// `nil` when this is no ES256 JWT with the four values Apple asks for.
    init?(_ text: Substring) {
        guard let jws = CompactJWS(text), jws.signature.count == 64,
            let header = try? JSONValue(parsing: jws.header), header["alg"]?.string == "ES256",
            let keyID = header["kid"]?.string, !keyID.isEmpty,
            let claims = try? JSONValue(parsing: jws.payload), let teamID = claims["iss"]?.string, !teamID.isEmpty,
            let issuedAt = claims["iat"]?.integer
        else { return nil }
        self.token = ProviderToken(keyID: keyID, teamID: teamID, issuedAt: issuedAt)
        self.jws = jws
    }
}
