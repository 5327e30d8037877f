/// A connection script's rules for provider tokens, which can refuse a valid token.
///
/// It is a value without I/O: it is consulted after validation and receives each answer's reason.
struct ProviderTokenWatch: Sendable {
    private let expiry: ProviderTokenExpiry?
    private let maximumTokens: Int?
    private var taken: Set<String> = []
    private var answers = 0
    private var hasExpired: Bool

    init(_ script: ConnectionScript = ConnectionScript()) {
        expiry = script.providerTokenExpiry
        maximumTokens = script.maximumProviderTokens
        hasExpired = script.providerTokenExpiry?.afterRequests == 0
    }

    /// Returns the rejection that overrides the validator's verdict; `nil` if the verdict stands.
    ///
    /// - Parameters:
    ///   - authorization: The request's `authorization`.
    ///   - isBelieved: `true` if its provider token is valid.
    mutating func objection(to authorization: String?, isBelieved: Bool) -> APNsRejection? {
        if hasExpired { return .expiredProviderToken }
        guard let maximumTokens, isBelieved, let authorization, !taken.contains(authorization) else { return nil }
        guard taken.count < maximumTokens else { return .tooManyProviderTokenUpdates }
        taken.insert(authorization)
        return nil
    }

    mutating func noteAnswer(reason: String?) {
        answers += 1
        guard let expiry else { return }
        if reason == APNsRejection.expiredProviderToken.reason { hasExpired = true }
        if let limit = expiry.afterRequests, answers >= limit { hasExpired = true }
    }
}
