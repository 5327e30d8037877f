import Messaging

/// The right of a token.
enum PublishScope: Hashable, Sendable {
    /// Messages to one topic.
    case publish(topic: String)
    /// The deliveries of all messages, with their titles.
    case read

    /// The forms of a scope, for people.
    static let forms = "publish:TOPIC or read"
    private static let (readText, publishPrefix) = ("read", "publish:")

    /// Reads `publish:TOPIC` or `read`; `nil` for any other text.
    init?(_ text: String) {
        if text == Self.readText {
            self = .read
        } else if text.hasPrefix(Self.publishPrefix),
            let topic = TopicName.canonical(String(text.dropFirst(Self.publishPrefix.count)))
        {
            self = .publish(topic: topic)
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .publish(let topic): Self.publishPrefix + topic
        case .read: Self.readText
        }
    }
}
