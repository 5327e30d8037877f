/// The configurable part of the validation: known keys, apps and device tokens, and strictness.
public struct ValidationRules: Sendable {
    /// The keys that may sign provider tokens. If it is empty, signatures are not checked, and every well-formed ES256
    /// provider token is accepted.
    public var providerKeys: [ProviderKey]
    /// The permitted bundle ids, without push-type suffixes; `nil` for any. Others are refused with `TopicDisallowed`.
    public var topics: Set<String>?
    /// The bundle id of each known device token (lower-case hexadecimal). With another topic such a token is refused
    /// with `DeviceTokenNotForTopic`; an unknown token is valid for every topic.
    public var topicsByDeviceToken: [String: String]
    /// The bundle ids of apps without the capability for broadcasts. Requests about channels of these are refused with
    /// `FeatureNotEnabled`.
    public var appsWithoutBroadcasts: Set<String> = []
    /// `true` to refuse each ``Deviation``: a missing `apns-push-type` with `InvalidPushType`, a provider token whose
    /// `iat` is not a whole number with `InvalidProviderToken`, a payload with a member that is `null` with
    /// `PayloadEmpty`. Apple requires the header from watchOS 6 on, recommends it elsewhere, and may delay or drop
    /// notifications without it.
    public var isStrict: Bool

    /// Creates rules. The defaults accept any well-formed request.
    public init(
        providerKeys: [ProviderKey] = [], topics: Set<String>? = nil, topicsByDeviceToken: [String: String] = [:],
        isStrict: Bool = false
    ) {
        self.providerKeys = providerKeys
        self.topics = topics
        self.topicsByDeviceToken = topicsByDeviceToken
        self.isStrict = isStrict
    }
}
