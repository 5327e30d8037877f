/// What other threads ask of the transport's.
enum Command: Sendable {
    case start(Transfer)
    case cancel(RequestID)
    /// Finish what there is until the instant, then fail the rest and end.
    case shutDown(by: ContinuousClock.Instant)
}
