/// By what FCM's library in an app knows a message as FCM's, and as which one.
public struct FCMIdentity: Hashable, Sendable {
    /// The last part of the name that `messages:send` answered with.
    public let messageID: String
    /// The number of the project that sends.
    public let senderID: String

    public init(messageID: String, senderID: String) {
        self.messageID = messageID
        self.senderID = senderID
    }
}
