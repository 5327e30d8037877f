/// The ids by which FCM's library in an app recognizes a message of FCM's.
package struct FCMIdentity: Hashable, Sendable {
    /// The last part of the name that `messages:send` returned.
    package let messageID: String
    /// The number of the project that sends.
    package let senderID: String

    package init(messageID: String, senderID: String) {
        self.messageID = messageID
        self.senderID = senderID
    }
}
