/// When to try again: pure arithmetic, no clock and no dice of its own.
public struct RetryPolicy: Sendable {
    /// The delay after the first attempt that failed.
    public var base: Duration
    /// No delay grows beyond this, unless a service asks for more: so after the first minutes there are at most eight
    /// attempts an hour.
    public var maximum: Duration

    public init(base: Duration = .seconds(2), maximum: Duration = .seconds(15 * 60)) {
        self.base = base
        self.maximum = maximum
    }

    /// The delay before the next attempt: doubled with each attempt, of which between half and all, so that messages
    /// that failed together do not come back together.
    ///
    /// - Parameters:
    ///   - attempts: how many have been made, 1 at least.
    ///   - jitter: evenly spread in 0..<1.
    public func delay(afterAttempts attempts: Int, jitter: Double) -> Duration {
        let doublings = min(max(attempts - 1, 0), 30)
        let grown = min(base * (1 << doublings), maximum)
        return grown * (0.5 + jitter / 2)
    }
}
