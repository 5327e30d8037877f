/// Judges requests by Apple's rules, without I/O: a request and the time in, a verdict out.
///
/// Apple does not publish the order of its checks. This one goes from the outside in, so that a sender sees first what
/// has to be mended first: method, path, device token present, provider token, repeated headers, topic present,
/// `apns-id`, expiration, priority, push type, collapse id, topic, device token, payload.
///
/// It is a value because it remembers verified provider tokens; every connection has its own.
public struct RequestValidator: Sendable {
    /// The largest payload of any push type, in bytes.
    public static let largestPayload = PushType.voip.maximumPayload
    /// How far in the future `iat` may lie, in seconds: clocks are never quite together.
    public static let clockSkew: Int64 = 60
    /// The age in seconds beyond which a provider token is refused.
    public static let maximumTokenAge: Int64 = 3600

    let rules: ValidationRules
    private var verifier: ProviderTokenVerifier

    public init(rules: ValidationRules) {
        self.rules = rules
        self.verifier = ProviderTokenVerifier(keys: rules.providerKeys)
    }

    /// Judges one complete request.
    ///
    /// - Parameter now: seconds since 1970.
    public mutating func validate(_ request: APNsRequest, now: Int64) -> Verdict {
        var verdict = Verdict()
        do throws(Refusal) {
            try check(request, now: now, verdict: &verdict)
        } catch {
            verdict.rejection = error.rejection
            verdict.cause = error.cause
        }
        return verdict
    }

    private mutating func check(_ request: APNsRequest, now: Int64, verdict: inout Verdict) throws(Refusal) {
        let headers = APNsHeaders(request.headers)
        verdict.apnsID = headers.id.flatMap { UUIDText.isCanonical($0) ? $0 : nil }
        guard request.method == "POST" else {
            throw Refusal(.methodNotAllowed, "the method is \(request.method.excerpt); it takes POST")
        }
        verdict.deviceToken = try Self.deviceToken(inPath: request.path)
        let token = try providerToken(headers.authorization, now: now)
        verdict.providerToken = token
        if let deviation = token.deviation { verdict.deviations.append(deviation) }
        if let name = headers.duplicate { throw Refusal(.duplicateHeaders, "\(name) is there twice") }
        guard let topic = headers.topic else { throw Refusal(.missingTopic, "there is no apns-topic") }
        if let id = headers.id, verdict.apnsID == nil {
            throw Refusal(.badMessageID, "apns-id is \(id.excerpt); it takes a UUID in lower case")
        }
        let pushType = try checkDelivery(headers, topic: topic)
        if headers.pushType == nil { verdict.deviations.append(.missingPushType) }
        try checkTopic(topic, for: pushType, deviceToken: verdict.deviceToken)
        try Self.checkDeviceToken(verdict.deviceToken)
        try Self.checkPayload(request.body, for: pushType)
    }

    private mutating func providerToken(_ authorization: String?, now: Int64) throws(Refusal) -> ProviderToken {
        guard let authorization else { throw Refusal(.missingProviderToken, "there is no authorization") }
        let token = try verifier.token(authorizing: authorization)
        if rules.isStrict, token.deviation != nil {
            throw Refusal(
                .invalidProviderToken,
                "the provider token's “iat” is not written as a whole number, which --strict does not take")
        }
        // Compared without subtracting: `iat` is the sender's, and may be any integer.
        if token.issuedAt > now + Self.clockSkew {
            throw Refusal(
                .invalidProviderToken,
                "the provider token's “iat” is \(token.issuedAt), and it is \(now): it takes seconds since 1970, not "
                    + "milliseconds, and a clock that is right")
        }
        if token.issuedAt < now - Self.maximumTokenAge {
            throw Refusal(
                .expiredProviderToken,
                "the provider token's “iat” is \(token.issuedAt), and it is \(now): a token is good for an hour")
        }
        return token
    }
}
