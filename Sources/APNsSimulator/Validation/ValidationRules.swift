/// What the simulator knows and asks beyond the rules that hold for everyone.
public struct ValidationRules: Sendable {
    /// The keys whose provider tokens are believed. With none, signatures cannot be checked, and every well-formed
    /// ES256 provider token is taken.
    public var providerKeys: [ProviderKey]
    /// The bundle ids that may be pushed to, without push-type suffixes; `nil` for any. Others are `TopicDisallowed`.
    public var topics: Set<String>?
    /// The bundle id that a device token (lower-case hexadecimal) was issued for. A token that stands here is
    /// `DeviceTokenNotForTopic` with any other topic; one that does not belongs to every topic.
    public var topicsByDeviceToken: [String: String]
    /// Refuses each ``Deviation``: a request without `apns-push-type` is `InvalidPushType`, a provider token whose `iat` is no
    /// whole number `InvalidProviderToken`. Apple requires the header from watchOS 6 on, recommends it elsewhere, and may
    /// delay or drop what comes without.
    public var isStrict: Bool

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
