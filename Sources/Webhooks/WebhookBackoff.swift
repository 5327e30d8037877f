/// The delays between attempts at a target's oldest event, which are the same for all that wait behind it. It does no
/// I/O.
struct WebhookBackoff: Sendable {
    private static let first = Duration.seconds(5)
    private static let longest = Duration.seconds(60 * 60)

    private var failures = 0

    /// Returns the delay after a failed attempt: 5 s, doubled with each failure up to an hour, shortened by up to a
    /// half, so that several targets at one host do not fail together; longer if the receiver asks for it, up to an
    /// hour.
    ///
    /// - Parameter jitter: Evenly distributed in 0..<1.
    mutating func delay(retryAfter: Duration?, jitter: Double) -> Duration {
        let full = min(Self.first * (1 << min(failures, 10)), Self.longest)
        failures += 1
        let delay = full * (0.5 + jitter / 2)
        return max(delay, min(retryAfter ?? .zero, Self.longest))
    }

    /// Begins again with the shortest delay.
    mutating func succeeded() { failures = 0 }
}
