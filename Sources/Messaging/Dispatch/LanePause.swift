import DocumentStore

/// The pause of a lane in which every notification fails, without I/O. Nothing is sent until its end; then one
/// notification probes the lane.
struct LanePause: Sendable {
    private var failures = 0
    private(set) var until = Timestamp.distantPast
    /// The time of the first failure.
    private(set) var since = Timestamp.distantFuture
    /// The last failure; `nil` before the first.
    private(set) var failure: Failure?

    /// Extends the pause after a failure. Its length doubles with each consecutive failure: from 5 s to 5 min if the
    /// service refuses the sender (Apple treats frequent refusals as an attack), from 1 s to 1 min if it cannot be
    /// reached. It is longer if the service asks for it, up to an hour.
    mutating func failed(_ failure: Failure, at now: Timestamp) {
        let (first, longest): (Duration, Duration) =
            switch failure.laneFailure ?? .unreachable {
            case .refused: (.seconds(5), .seconds(300))
            case .unreachable: (.seconds(1), .seconds(60))
            }
        let delay = min(first * (1 << min(failures, 10)), longest)
        failures += 1
        until = now.adding(max(delay, min(failure.retryAfter ?? .zero, RetryAfter.longest)))
        since = min(since, now)
        self.failure = failure
    }
}
