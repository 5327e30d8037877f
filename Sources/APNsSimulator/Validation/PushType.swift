/// The values of `apns-push-type`, with the topic suffix and payload limit of each.
///
/// Apple, "Sending notification requests to APNs", "Know when to use push types".
public enum PushType: String, CaseIterable, Sendable {
    /// A push type by Apple's name for it.
    case alert, background, liveactivity, voip, complication, fileprovider, mdm, location, pushtotalk, widgets, controls

    /// The suffix of the topic after the bundle id; `nil` if the topic is the bundle id itself (or, for `mdm`, the
    /// UID of a certificate).
    public var topicSuffix: String? {
        switch self {
        case .alert, .background, .mdm: nil
        case .liveactivity: ".push-type.liveactivity"
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        }
    }

    /// The largest payload, in bytes.
    public var maximumPayload: Int { self == .voip ? 5120 : 4096 }

    /// Creates the push type of a request that does not name one: the type whose suffix the topic has, otherwise
    /// `alert`.
    init(impliedByTopic topic: String) {
        self = Self.allCases.first { $0.topicSuffix != nil && $0.bundleID(ofTopic: topic) != nil } ?? .alert
    }

    /// Returns the bundle id in a topic; `nil` if the topic lacks this type's suffix or has nothing before it.
    public func bundleID(ofTopic topic: String) -> Substring? {
        guard let topicSuffix else { return topic[...] }
        guard topic.utf8.count > topicSuffix.utf8.count, topic.hasSuffix(topicSuffix) else { return nil }
        return topic.dropLast(topicSuffix.count)
    }
}
