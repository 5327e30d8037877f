/// The state of a broadcast between its pages.
struct Course: Sendable {
    let message: AcceptedMessage
    /// `nil` for a condition, and for what an earlier process began, until the registrations it sent to have been gone through.
    var selection: TargetSelection?
    /// `nil` when nobody waits for it.
    var delivery: Delivery?
}
