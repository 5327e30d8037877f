/// What a connection holds against provider tokens that are good in themselves, as its script says.
///
/// A value without I/O: it is asked after a request has been judged, and told how it was answered.
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

    /// Why the request is refused whatever the judgement was; `nil` when that stands.
    ///
    /// - Parameters:
    ///   - authorization: the request's `authorization`.
    ///   - isBelieved: whether the provider token in it is good.
    mutating func objection(to authorization: String?, isBelieved: Bool) -> Rejection? {
        if hasExpired { return .expiredProviderToken }
        guard let maximumTokens, isBelieved, let authorization, !taken.contains(authorization) else { return nil }
        guard taken.count < maximumTokens else { return .tooManyProviderTokenUpdates }
        taken.insert(authorization)
        return nil
    }

    mutating func noteAnswer(reason: String?) {
        answers += 1
        guard let expiry else { return }
        if reason == Rejection.expiredProviderToken.reason { hasExpired = true }
        if let limit = expiry.afterRequests, answers >= limit { hasExpired = true }
    }
}
