/// The result of validating a request: its values, and the cause of a refusal.
struct PushVerdict: Sendable {
    /// The service whose rules the request was checked by.
    var profile: PushServiceProfile
    /// The capability in the path, which names the subscription; `nil` if the path had none.
    var token: String?
    /// The subscription; `nil` if there is none with this token.
    var subscription: Subscription?
    /// The claims of the VAPID token; `nil` if there was none, or it was not valid.
    var claims: VAPIDClaims?
    /// The lifetime in seconds that the message gets: `TTL`, or the service's limit.
    var timeToLive: Int64 = 0
    /// The urgency.
    var urgency = Urgency.normal
    /// The topic, by which a later message replaces this one; `nil` if there is none.
    var topic: String?
    /// The content encoding; `nil` if the body is empty.
    var encoding: String?
    /// The status and reason of a refusal; `nil` if the request was accepted.
    var rejection: PushRejection?
    /// The cause of the refusal as a sentence, without complete tokens; `nil` if the request was accepted.
    var cause: String?
    /// Departures from the specifications, found before the first error.
    var deviations: [PushDeviation] = []

    /// `true` if the request passed every check.
    var isAccepted: Bool { rejection == nil }
}

/// A departure from the specifications that the services accept.
///
/// It is accepted and recorded, or refused if ``PushRules/isStrict``. The raw values appear as `deviations` at the
/// control address.
public enum PushDeviation: String, CaseIterable, Sendable {
    /// The VAPID token has no `sub`, so that the service cannot reach the sender's operator.
    case missingSubject = "subject_missing"
    /// The VAPID token's `sub` is no URL. Apple refuses it.
    case malformedSubject = "subject_malformed"
    /// The record size in the body's header is not greater than the record, as RFC 8291 §4 requires.
    case fullRecord = "record_full"
    /// `TTL` exceeds the service's limit, which shortens it.
    case longTimeToLive = "ttl_shortened"
    /// A message to Microsoft's service has no `X-WNS-Cache-Policy`.
    case missingCachePolicy = "cache_policy_missing"
}

/// The configurable part of the validation.
public struct PushRules: Sendable {
    /// The service whose rules apply to all requests; `nil` for those of the service that each endpoint belongs to.
    public var profile: PushServiceProfile?
    /// `true` to refuse each ``PushDeviation``.
    public var isStrict: Bool

    /// Creates rules. By default each endpoint has those of its service.
    public init(profile: PushServiceProfile? = nil, isStrict: Bool = false) {
        self.profile = profile
        self.isStrict = isStrict
    }
}
