package import Cryptography
import JSON
import Texts

/// The claims of a provider token, without its signature.
///
/// Apple, "Establishing a token-based connection to APNs": a JWT with the header `{"alg":"ES256","kid":…}` and the
/// claims `{"iss":…,"iat":…}`.
public struct ProviderTokenClaims: Hashable, Sendable {
    /// The `kid` of the JWT's header.
    public let keyID: String
    /// The `iss` claim.
    public let teamID: String
    /// The `iat` claim in seconds since 1970. A fraction is rounded down.
    public let issuedAt: Int64
    /// The form of an `iat` that is not a JSON integer; `nil` if it is one.
    public var deviation: Deviation?
}

/// A parsed provider token whose signature has not been verified.
struct CompactJWT {
    let token: ProviderTokenClaims
    /// The token's parts. Its signature is r‖s, 64 bytes (RFC 7518 §3.4); a signature in DER is refused.
    let jws: CompactJWS

    /// Parses a token.
    ///
    /// - Throws: ``Refusal`` if it is not an ES256 JWT with the four values that Apple requires.
    init(_ text: Substring) throws(Refusal) {
        guard let jws = CompactJWS(text) else {
            throw Self.refusal("is not a JWT: three parts in base64url, separated by dots")
        }
        guard jws.signature.count == 64 else {
            throw Self.refusal(
                "has a signature of \(jws.signature.count) bytes; ES256 in a JWT has 64, r and s (RFC 7518 §3.4), not DER"
            )
        }
        let (header, claims) = (try? JSONValue(parsing: jws.header), try? JSONValue(parsing: jws.payload))
        guard header?["alg"]?.string == "ES256" else {
            throw Self.refusal("has another “alg” than ES256 in its header")
        }
        guard let keyID = header?["kid"]?.string, !keyID.isEmpty else {
            throw Self.refusal("has no “kid” in its header")
        }
        guard let teamID = claims?["iss"]?.string, !teamID.isEmpty else {
            throw Self.refusal("has no “iss”, the team's id")
        }
        guard let (issuedAt, deviation) = Self.issuedAt(claims?["iat"]) else {
            let value = claims?["iat"].map { "is \($0.text.excerpt)" } ?? "is missing"
            throw Self.refusal("has no valid “iat”: it \(value); it takes whole seconds since 1970")
        }
        self.token = ProviderTokenClaims(keyID: keyID, teamID: teamID, issuedAt: issuedAt, deviation: deviation)
        self.jws = jws
    }

    private static func refusal(_ cause: String) -> Refusal {
        Refusal(.invalidProviderToken, "the provider token \(cause)")
    }

    private static func issuedAt(_ value: JSONValue?) -> (Int64, Deviation?)? {
        switch value {
        case .integer(let seconds): (seconds, nil)
        case .double(let seconds): Int64(exactly: seconds.rounded(.down)).map { ($0, .fractionalIssuedAt) }
        case .string(let text) where text.utf8.allSatisfy(isOfNumber):
            Double(text).flatMap { Int64(exactly: $0.rounded(.down)) }.map { ($0, .textualIssuedAt) }
        default: nil
        }
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || byte == UInt8(ascii: ".")
    }
}

/// A signing key known to the simulator: the public part of a team's `.p8`, as Apple stores it.
public struct ProviderKey: Sendable {
    /// The `kid` of the provider tokens that it signs; ten characters at Apple.
    public let keyID: String
    /// The `iss` of the provider tokens that it signs; ten characters at Apple.
    public let teamID: String
    /// The key that verifies signatures.
    package let publicKey: ES256PublicKey

    /// Creates a known key from a text.
    ///
    /// - Parameters:
    ///   - keyID: the `kid` of the provider tokens that it signs.
    ///   - teamID: the `iss` of the provider tokens that it signs.
    ///   - pem: the public key on P-256 as PEM, or a `.p8` file's text, of which only the public half is kept.
    /// - Throws: an error if the text is not such a key.
    public init(keyID: String, teamID: String, pem: String) throws(ProviderKeyError) {
        do {
            self.init(keyID: keyID, teamID: teamID, publicKey: try ES256PublicKey(pem: pem))
        } catch {
            throw ProviderKeyError(cause: "\(error)")
        }
    }

    package init(keyID: String, teamID: String, publicKey: ES256PublicKey) {
        self.keyID = keyID
        self.teamID = teamID
        self.publicKey = publicKey
    }
}

/// An error for a text that is no key for provider tokens. It never contains the text.
public struct ProviderKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason.
    public let cause: String

    /// The error as a sentence, with the remedy.
    public var description: String {
        "could not read the provider key: \(cause). Pass a public key on P-256 as PEM, or the text of a .p8 file."
    }
}
