/// A kind of events that a webhook gets.
package enum WebhookEventKind: String, CaseIterable, Hashable, Sendable {
    /// Notifications of a message have settled.
    case settled = "notifications.settled"
    /// Devices have reported that notifications of a message have arrived, or were opened.
    case receipts = "notifications.receipts"
    /// Push services have reported tokens as no longer valid.
    case invalidTokens = "tokens.invalid"
    /// An app is held up, so its messages wait.
    case heldUp = "app.held_up"
    /// An app that was held up sends again.
    case resumed = "app.resumed"
    /// A person has decided an approval of a run.
    case decided = "approval.decided"

    /// The type of the event that the operator sends to try a webhook. All webhooks get theirs.
    static let test = "webhook.test"
}
