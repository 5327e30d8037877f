/// A filter for received messages. A message matches if it has every value that is set here.
public struct MessageFilter: Hashable, Sendable {
    /// The capability in the endpoint's path.
    public var token: String?
    /// A value of `topic`.
    public var topic: String?
    /// A value of `urgency`.
    public var urgency: String?
    /// The id of an accepted message.
    public var messageID: String?
    /// The HTTP status of the answer: 201 for accepted messages.
    public var status: Int?
    /// The state of an accepted message.
    public var delivery: MessageDelivery?

    /// The filter that every message matches.
    public static let all = MessageFilter()

    /// Creates a filter. `nil` matches any value.
    public init(
        token: String? = nil, topic: String? = nil, urgency: String? = nil, messageID: String? = nil,
        status: Int? = nil, delivery: MessageDelivery? = nil
    ) {
        self.token = token
        self.topic = topic
        self.urgency = urgency
        self.messageID = messageID
        self.status = status
        self.delivery = delivery
    }

    /// Returns `true` if the message has every value that is set.
    public func matches(_ message: ReceivedMessage) -> Bool {
        (token == nil || token == message.token)
            && (status == nil || status == message.status)
            && (messageID == nil || messageID == message.messageID)
            && (topic == nil || topic == message.topic)
            && (urgency == nil || urgency == message.urgency)
            && (delivery == nil || delivery == message.delivery)
    }
}
