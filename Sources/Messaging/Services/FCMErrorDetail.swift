/// The part of a push service's verdicts that FCM's clients receive beside FCM's own error.
package struct FCMErrorDetail: Sendable {
    /// The name of FCM's message for it, such as `ApnsError`.
    package let type: String
    /// FCM's text for a token that the service no longer sends to.
    package let disabledToken: String

    package init(type: String, disabledToken: String) {
        self.type = type
        self.disabledToken = disabledToken
    }
}
