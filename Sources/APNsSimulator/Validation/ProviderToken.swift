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

/// A JWT in compact form (RFC 7515 §7.1), taken apart but not yet believed.
struct CompactJWT {
    let token: ProviderToken
    /// `header.claims`, which is what was signed.
    let signedText: Substring
    /// r‖s, 64 bytes (RFC 7518 §3.4). A DER signature is not 64 bytes of this form and makes the JWT unreadable.
    let signature: [UInt8]

    /// `nil` when this is no ES256 JWT with the four values Apple asks for.
    init?(_ text: Substring) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64URL.decode(String(parts[2])), signature.count == 64,
            let header = Self.object(parts[0]), header["alg"]?.string == "ES256",
            let keyID = header["kid"]?.string, !keyID.isEmpty,
            let claims = Self.object(parts[1]), let teamID = claims["iss"]?.string, !teamID.isEmpty,
            let issuedAt = claims["iat"]?.integer
        else { return nil }
        self.token = ProviderToken(keyID: keyID, teamID: teamID, issuedAt: issuedAt)
        self.signedText = text[..<parts[1].endIndex]
        self.signature = signature
    }

    private static func object(_ part: Substring) -> JSONObject? {
        guard let bytes = Base64URL.decode(String(part)) else { return nil }
        return try? JSONValue(parsing: bytes).object
    }
}
