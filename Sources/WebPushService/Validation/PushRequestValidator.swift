import Texts

/// A validator of application servers' requests, without I/O: a request, the subscription of its endpoint and the time
/// in, a verdict out.
///
/// The services do not publish the order of their checks. This order reports first the error that a sender must correct
/// first: path, method, repeated headers, subscription, identity, TTL, urgency, topic, size, encryption, WNS's cache
/// policy.
///
/// Every connection has a validator of its own, which caches verified VAPID tokens.
struct PushRequestValidator: Sendable {
    /// The tolerance for an `exp` that is too far ahead, in seconds, because clocks differ.
    static let clockSkew: Int64 = 60
    /// The longest validity of a token, in seconds (RFC 8292 §2).
    static let longestValidity: Int64 = 86_400
    /// The longest topic, in characters (RFC 8030 §5.4).
    static let longestTopic = 32

    let rules: PushRules
    private var verifier = VAPIDVerifier()

    /// Creates a validator for one connection.
    init(rules: PushRules) {
        self.rules = rules
    }

    /// Validates one complete request.
    ///
    /// - Parameters:
    ///   - request: The complete request.
    ///   - now: The current time in seconds since 1970.
    ///   - find: Finds the subscription of a token.
    mutating func validate(
        _ request: PushRequest, now: Int64, find: (String) -> SubscriptionLookup
    ) -> PushVerdict {
        let path = EndpointPath(request.path)
        let isOfService = PushServiceProfile(host: request.host) != .standard
        let profile =
            rules.profile ?? (isOfService ? PushServiceProfile(host: request.host) : path?.service ?? .standard)
        var verdict = PushVerdict(profile: profile)
        do throws(PushRefusal) {
            guard let path else {
                throw PushRefusal(.path, "the path is \(Self.shown(request.path)), which is no endpoint's")
            }
            verdict.token = path.token
            try check(request, subscription: find(path.token), now: now, verdict: &verdict)
        } catch {
            verdict.rejection = verdict.profile.rejection(for: error.fault)
            verdict.cause = error.cause
        }
        return verdict
    }

    /// Returns a path with only the parts that are too short for a token, and without its query.
    private static func shown(_ path: String) -> String {
        let parts = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        return parts.map { $0.count > 16 ? "…" : String($0) }.joined(separator: "/").excerpt
    }

    private mutating func check(
        _ request: PushRequest, subscription lookup: SubscriptionLookup, now: Int64, verdict: inout PushVerdict
    ) throws(PushRefusal) {
        let headers = PushHeaders(request.headers)
        guard request.method == "POST" else {
            throw PushRefusal(.method, "the method is \(request.method.excerpt); it takes POST")
        }
        if let name = headers.duplicate { throw PushRefusal(.duplicateHeader, "\(name) is present twice") }
        let subscription = try subscription(lookup, verdict: &verdict)
        try checkIdentity(headers.authorization, of: request, for: subscription, now: now, verdict: &verdict)
        try checkDelivery(headers, verdict: &verdict)
        try checkSize(request.body, for: subscription, profile: verdict.profile)
        try checkEncryption(request.body, encoding: headers.contentEncoding, verdict: &verdict)
        try checkCachePolicy(headers.cachePolicy, verdict: &verdict)
    }

    private func subscription(
        _ lookup: SubscriptionLookup, verdict: inout PushVerdict
    ) throws(PushRefusal) -> Subscription {
        switch lookup {
        case .active(let subscription):
            verdict.subscription = subscription
            verdict.profile = rules.profile ?? subscription.service
            return subscription
        case .ended(let subscription):
            verdict.subscription = subscription
            verdict.profile = rules.profile ?? subscription.service
            throw PushRefusal(.endedSubscription, "the subscription has ended")
        case .unknown: throw PushRefusal(.unknownSubscription, "no subscription has this endpoint")
        }
    }

    /// Records a deviation, or refuses it.
    private func note(
        _ deviation: PushDeviation, _ fault: PushFault, _ cause: @autoclosure () -> String,
        in verdict: inout PushVerdict
    ) throws(PushRefusal) {
        guard !rules.isStrict else { throw PushRefusal(fault, "\(cause()), and --strict refuses that") }
        verdict.deviations.append(deviation)
    }
}

/// The check of credentials (RFC 8292).
extension PushRequestValidator {
    private mutating func checkIdentity(
        _ authorization: String?, of request: PushRequest, for subscription: Subscription, now: Int64,
        verdict: inout PushVerdict
    ) throws(PushRefusal) {
        guard let authorization else {
            guard subscription.applicationServerKey == nil, !verdict.profile.requiresIdentity else {
                throw PushRefusal(.identityMissing, "authorization is missing")
            }
            return
        }
        let claims = try verifier.claims(authorizing: authorization)
        guard request.origin == claims.audience || subscription.origins.contains(claims.audience) else {
            throw PushRefusal(
                .identityInvalid,
                "the VAPID token's “aud” is \(claims.audience.excerpt); the endpoint's origin is "
                    + "“\(subscription.origin)”")
        }
        try Self.checkExpiration(claims.expiration, now: now)
        try checkSubject(claims.subject, verdict: &verdict)
        if let key = subscription.applicationServerKey, key != claims.publicKey {
            throw PushRefusal(
                .identityMismatch,
                "the VAPID key is \(claims.publicKey.excerpt); the subscription was made with \(key.excerpt)")
        }
        verdict.claims = claims
    }

    private static func checkExpiration(_ expiration: Int64, now: Int64) throws(PushRefusal) {
        let comparison = "the VAPID token's “exp” is \(expiration), and the time is \(now)"
        guard expiration > now else { throw PushRefusal(.identityInvalid, "\(comparison): the token has expired") }
        guard expiration <= now + longestValidity + clockSkew else {
            throw PushRefusal(
                .identityInvalid, "\(comparison): a token is valid for 24 hours at most, and “exp” is in seconds")
        }
    }

    private func checkSubject(_ subject: String?, verdict: inout PushVerdict) throws(PushRefusal) {
        let isApple = verdict.profile == .apple
        guard let subject else {
            let cause = "the VAPID token has no “sub”, a “mailto:” or “https:” URL of the operator"
            if isApple { throw PushRefusal(.identityInvalid, cause) }
            return try note(.missingSubject, .identityInvalid, cause, in: &verdict)
        }
        guard let fault = isApple ? VAPIDSubject.appleFault(subject) : VAPIDSubject.fault(subject) else { return }
        let cause = "the VAPID token's “sub” is \(subject.excerpt): \(fault)"
        if isApple { throw PushRefusal(.identityInvalid, cause) }
        try note(.malformedSubject, .identityInvalid, cause, in: &verdict)
    }
}

/// The check of the header fields for delivery (RFC 8030 §5).
extension PushRequestValidator {
    private func checkDelivery(_ headers: PushHeaders, verdict: inout PushVerdict) throws(PushRefusal) {
        guard let text = headers.timeToLive else { throw PushRefusal(.timeToLiveMissing, "TTL is missing") }
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit), let seconds = Int64(text) else {
            throw PushRefusal(.timeToLiveInvalid, "TTL is \(text.excerpt); it takes a number of seconds, in digits")
        }
        let longest = verdict.profile.longestTimeToLive
        verdict.timeToLive = min(seconds, longest)
        if seconds > longest {
            let cause = "TTL is \(seconds), and the limit is \(longest) seconds"
            if verdict.profile.refusesLongTimeToLive { throw PushRefusal(.timeToLiveInvalid, cause) }
            try note(.longTimeToLive, .timeToLiveInvalid, cause, in: &verdict)
        }
        if let text = headers.urgency {
            guard let urgency = Urgency(rawValue: text) else {
                let all = Urgency.allCases.map(\.rawValue).joined(separator: ", ")
                throw PushRefusal(.urgency, "Urgency is \(text.excerpt); it takes one of \(all)")
            }
            verdict.urgency = urgency
        }
        if let topic = headers.topic {
            guard (1...Self.longestTopic).contains(topic.utf8.count), topic.utf8.allSatisfy(\.isBase64URL)
            else {
                throw PushRefusal(
                    .topic,
                    "Topic is \(topic.excerpt); it takes 1 to \(Self.longestTopic) characters of base64url")
            }
            verdict.topic = topic
        }
    }

    /// Checks that `X-WNS-Cache-Policy` agrees with `TTL`: `no-cache` for a message that is delivered at once or never.
    private func checkCachePolicy(_ policy: String?, verdict: inout PushVerdict) throws(PushRefusal) {
        guard verdict.profile == .microsoft else { return }
        let expected = verdict.timeToLive == 0 ? "no-cache" : "cache"
        guard let policy else {
            return try note(
                .missingCachePolicy, .cachePolicy, "X-WNS-Cache-Policy is missing; it takes \(expected)", in: &verdict)
        }
        guard policy == expected else {
            throw PushRefusal(
                .cachePolicy,
                "X-WNS-Cache-Policy is \(policy.excerpt); with a TTL of \(verdict.timeToLive) it takes \(expected)")
        }
    }
}

/// The check of the body (RFC 8030 §7.2, RFC 8188, RFC 8291).
extension PushRequestValidator {
    private func checkSize(
        _ body: [UInt8], for subscription: Subscription, profile: PushServiceProfile
    ) throws(PushRefusal) {
        guard body.count <= subscription.maximumBody else {
            throw PushRefusal(.tooLarge, "the body has more than \(subscription.maximumBody) bytes")
        }
    }

    private func checkEncryption(
        _ body: [UInt8], encoding: String?, verdict: inout PushVerdict
    ) throws(PushRefusal) {
        // A message without a body wakes the page's service worker.
        if body.isEmpty { return }
        guard encoding?.lowercased() == "aes128gcm" else {
            let actual = encoding.map { "is \($0.excerpt)" } ?? "is missing"
            throw PushRefusal(.encryption, "Content-Encoding \(actual); it takes aes128gcm (RFC 8291)")
        }
        let encrypted = try EncryptedBody(body)
        verdict.encoding = "aes128gcm"
        if encrypted.fillsRecord {
            try note(
                .fullRecord, .encryption,
                "the record size is \(encrypted.recordSize), no more than the record; RFC 8291 §4 requires more",
                in: &verdict)
        }
    }
}
