internal import DocumentStore

/// A lane of which everything fails: nothing of it is sent until a time, then one notification, to see whether it is still
/// so. Pure.
struct LanePause: Sendable {
    private var failures = 0
    private(set) var until = Timestamp.distantPast

    /// Doubles the time with every failure that follows another: from 5 s to 5 min where the service refuses the sender
    /// (Apple takes frequent refusals for an attack), from 1 s to 1 min where it cannot be reached. Longer where the service
    /// asks for it, up to an hour.
    mutating func failed(_ trouble: LaneTrouble, at now: Timestamp, retryAfter: Duration?) {
        let (first, longest): (Duration, Duration) =
            switch trouble {
            case .refused: (.seconds(5), .seconds(300))
            case .unreachable: (.seconds(1), .seconds(60))
            }
        let delay = min(first * (1 << min(failures, 10)), longest)
        failures += 1
        until = now.adding(max(delay, min(retryAfter ?? .zero, RetryAfter.longest)))
    }
}
