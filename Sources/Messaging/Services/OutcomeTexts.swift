/// The meaning of the outcomes of a push service's notifications, in words for people.
package struct OutcomeTexts: Sendable {
    /// The meaning of an acceptance, and the reach of the notification.
    package let acceptance: String
    /// The meaning of each reason of a rejection or a failure, and the next step. Its words are the push service's own.
    package let reasons: [String: String]
    /// The setting that the service's tokens need, such as `device tokens of Apple need apns.keyPath`; `nil` if they
    /// need none.
    package let requirement: String?

    /// Creates texts.
    package init(acceptance: String, reasons: [String: String], requirement: String?) {
        self.acceptance = acceptance
        self.reasons = reasons
        self.requirement = requirement
    }
}
