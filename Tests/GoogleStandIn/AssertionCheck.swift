import Cryptography
import Foundation
import JSON

/// The checks of Google's token endpoint on a request for an access token (RFC 7523 §2.1 and §3).
struct AssertionCheck {
    let claims: JSONValue
    /// The first fault of the request; `nil` if there is none.
    let problem: String?

    /// - Parameters:
    ///   - form: The body of the request.
    ///   - audience: The URL of the token endpoint.
    init(form: String, contentType: String?, audience: String, key: RS256PublicKey) {
        let fields = Self.fields(of: form)
        let jws = fields["assertion"].flatMap { CompactJWS($0) }
        let header = jws.flatMap { try? JSONValue(parsing: $0.header) } ?? .null
        let claims = jws.flatMap { try? JSONValue(parsing: $0.payload) } ?? .null
        let (issuedAt, expiry) = (claims["iat"]?.integer ?? 0, claims["exp"]?.integer ?? 0)
        let checks: [(String, Bool)] = [
            ("content type", contentType == "application/x-www-form-urlencoded"),
            ("grant_type", fields["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"),
            ("assertion", jws != nil),
            ("header", header == ["alg": "RS256", "typ": "JWT", "kid": .string(GoogleStandIn.privateKeyID)]),
            ("iss", claims["iss"]?.string == GoogleStandIn.clientEmail),
            ("scope", claims["scope"]?.string == "https://www.googleapis.com/auth/firebase.messaging"),
            ("aud", claims["aud"]?.string == audience),
            ("iat and exp", issuedAt > 0 && expiry > issuedAt && expiry <= issuedAt + 3_600),
            ("signature", jws.map { key.isValid($0.signature, for: $0.signingInput.utf8) } ?? false),
        ]
        self.claims = claims
        problem = checks.first { !$0.1 }?.0
    }

    /// Decodes `application/x-www-form-urlencoded`; no value here needs `+`.
    private static func fields(of form: String) -> [String: String] {
        let pairs = form.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            return (parts.first ?? "", parts.dropFirst().first ?? "")
        }
        return Dictionary(pairs) { _, last in last }
    }
}
