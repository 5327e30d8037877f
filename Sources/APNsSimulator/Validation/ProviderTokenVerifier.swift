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
    private var verdicts: [String: ProviderToken?] = [:]

    /// - Parameter keys: the keys to believe; with none, every well-formed token is believed.
    init(keys: [ProviderKey]) {
        self.keys = Dictionary(keys.map { ($0.keyID, $0) }) { _, last in last }
    }

    /// The claims of the token in an `authorization` header, or `nil` when it is not to be believed.
    mutating func token(authorizing authorization: String) -> ProviderToken? {
        if let known = verdicts[authorization] { return known }
        let verdict = Self.jwt(in: authorization).flatMap(verify)
        if verdicts.count >= Self.rememberedTokens { verdicts.removeAll(keepingCapacity: true) }
        verdicts.updateValue(verdict, forKey: authorization)
        return verdict
    }

    /// The credentials after the scheme, which is compared without case (RFC 9110 §11.1).
    private static func jwt(in authorization: String) -> Substring? {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1]
    }

    private func verify(_ text: Substring) -> ProviderToken? {
        guard let jwt = CompactJWT(text) else { return nil }
        if keys.isEmpty { return jwt.token }
        guard let key = keys[jwt.token.keyID], key.teamID == jwt.token.teamID,
            key.publicKey.isValid(jwt.jws.signature, for: jwt.jws.signingInput.utf8)
        else { return nil }
        return jwt.token
    }
}
