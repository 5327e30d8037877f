import Cryptography

/// Decides whether a provider token was signed by a key the simulator knows, for the team that owns the key.
///
/// A provider sends the same token with every request for up to an hour, and verifying a signature is slower than all
/// else that is done for a request; so the last few verdicts are remembered. Age is no part of a verdict: it changes
/// with the clock, and is looked at with every request.
struct ProviderTokenVerifier: Sendable {
    /// How many tokens are remembered. One provider uses one at a time for each team; the bound only guards memory.
    static let rememberedTokens = 64

    private let keys: [String: ProviderKey]
    private var verdicts: [String: Result<ProviderToken, Refusal>] = [:]

    /// - Parameter keys: the keys to believe; with none, every well-formed token is believed.
    init(keys: [ProviderKey]) {
        self.keys = Dictionary(keys.map { ($0.keyID, $0) }) { _, last in last }
    }

    /// Returns the claims of the token in an `authorization` header.
    ///
    /// - Throws: when it is not to be believed.
    mutating func token(authorizing authorization: String) throws(Refusal) -> ProviderToken {
        if let known = verdicts[authorization] { return try known.get() }
        let verdict = Result { () throws(Refusal) in try verify(try Self.jwt(in: authorization)) }
        if verdicts.count >= Self.rememberedTokens { verdicts.removeAll(keepingCapacity: true) }
        verdicts[authorization] = verdict
        return try verdict.get()
    }

    /// The credentials after the scheme, which is compared without case (RFC 9110 §11.1).
    private static func jwt(in authorization: String) throws(Refusal) -> CompactJWT {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Refusal(.invalidProviderToken, "authorization is not “bearer”, a blank and a provider token")
        }
        return try CompactJWT(parts[1])
    }

    private func verify(_ jwt: CompactJWT) throws(Refusal) -> ProviderToken {
        let token = jwt.token
        if keys.isEmpty { return token }
        guard let key = keys[token.keyID] else {
            throw Self.refusal("is of key \(token.keyID.excerpt), which is not known; known are \(keyIDs)")
        }
        guard key.teamID == token.teamID else {
            throw Self.refusal("names team \(token.teamID.excerpt); the key is of team “\(key.teamID)”")
        }
        guard key.publicKey.isValid(jwt.jws.signature, for: jwt.jws.signingInput.utf8) else {
            throw Self.refusal("is not signed by key “\(key.keyID)”: another .p8 has signed it")
        }
        return token
    }

    private var keyIDs: String { keys.keys.sorted().map { "“\($0)”" }.joined(separator: ", ") }

    private static func refusal(_ cause: String) -> Refusal {
        Refusal(.invalidProviderToken, "the provider token \(cause)")
    }
}
