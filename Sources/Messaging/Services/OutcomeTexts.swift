/// The meaning of the outcomes of a push service's notifications, in words for people.
package struct OutcomeTexts: Sendable {
    /// The meaning of an acceptance, and the reach of the notification.
    package let acceptance: String
    /// The meaning of each reason of a rejection or a failure, and the next step. Its words are the push service's own.
    package let reasons: [String: String]
    /// The meaning of errors whose reason has no text, where it differs from that of other services.
    package let codes: [MessagingErrorCode: String]
    /// The setting that the service's tokens need; `nil` if they need none.
    package let requirement: Requirement?

    /// A setting without which no notification reaches the service's tokens.
    package struct Requirement: Sendable {
        /// The tokens and the setting, such as `device tokens of Apple need apns.keyPath`.
        package let setting: String
        /// The cause and the remedy for a device that has registered.
        package let advice: String

        package init(setting: String, advice: String) {
            self.setting = setting
            self.advice = advice
        }
    }

    package init(
        acceptance: String, reasons: [String: String], codes: [MessagingErrorCode: String] = [:],
        requirement: Requirement?
    ) {
        self.acceptance = acceptance
        self.reasons = reasons
        self.codes = codes
        self.requirement = requirement
    }
}
