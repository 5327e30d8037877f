import Cryptography
import Texts

/// A verifier of provider tokens: a known key must have signed the token for the team that owns the key.
///
/// A provider sends the same token with every request for up to an hour, and verifying a signature takes longer than
/// all other work for a request, so recent results are cached. The token's age is not part of a result: it is checked
/// with every request.
struct ProviderTokenVerifier: Sendable {
    /// The number of cached tokens. A provider uses one at a time for each team; the limit only bounds memory.
    static let rememberedTokens = 64

    private let keys: [String: ProviderKey]
    private var verdicts: [String: Result<ProviderTokenClaims, Refusal>] = [:]

    /// Creates a verifier.
    ///
    /// - Parameter keys: The known keys. If it is empty, every well-formed token is accepted.
    init(keys: [ProviderKey]) {
        self.keys = Dictionary(keys.map { ($0.keyID, $0) }) { _, last in last }
    }

    /// Returns the claims of the token in an `authorization` header.
    ///
    /// - Throws: ``Refusal`` if the token is malformed, or not signed by a known key for its team.
    mutating func token(authorizing authorization: String) throws(Refusal) -> ProviderTokenClaims {
        if let known = verdicts[authorization] { return try known.get() }
        let verdict = Result { () throws(Refusal) in try verify(try Self.jwt(in: authorization)) }
        if verdicts.count >= Self.rememberedTokens { verdicts.removeAll(keepingCapacity: true) }
        verdicts[authorization] = verdict
        return try verdict.get()
    }

    /// Parses the credentials after the scheme, which is compared case-insensitively (RFC 9110 §11.1).
    private static func jwt(in authorization: String) throws(Refusal) -> CompactJWT {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Refusal(.invalidProviderToken, "authorization is not “bearer”, a space and a provider token")
        }
        return try CompactJWT(parts[1])
    }

    private func verify(_ jwt: CompactJWT) throws(Refusal) -> ProviderTokenClaims {
        let token = jwt.token
        if keys.isEmpty { return token }
        guard let key = keys[token.keyID] else {
            throw Self.refusal("is of key \(token.keyID.excerpt), which is not known; the known keys are \(keyIDs)")
        }
        guard key.teamID == token.teamID else {
            throw Self.refusal("names team \(token.teamID.excerpt); the key belongs to team “\(key.teamID)”")
        }
        guard key.publicKey.isValid(jwt.jws.signature, for: jwt.jws.signingInput.utf8) else {
            throw Self.refusal("is not signed by key “\(key.keyID)”; use the .p8 of that key")
        }
        return token
    }

    private var keyIDs: String { keys.keys.sorted().map { "“\($0)”" }.joined(separator: ", ") }

    private static func refusal(_ cause: String) -> Refusal {
        Refusal(.invalidProviderToken, "the provider token \(cause)")
    }
}
