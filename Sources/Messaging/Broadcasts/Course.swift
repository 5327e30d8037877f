/// The state of a broadcast between its pages.
struct Course: Sendable {
    let message: AcceptedMessage
    /// `nil` for a condition, and where it has to be made anew, from the registrations up to where the broadcast is.
    var selection: TargetSelection?
    /// `nil` when nobody waits for it.
    var delivery: Delivery?
}
