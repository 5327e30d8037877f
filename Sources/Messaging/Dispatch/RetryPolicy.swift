/// The delays between attempts: pure arithmetic, without a clock or random numbers of its own.
package struct RetryPolicy: Sendable {
    /// The delay after the first failed attempt.
    package var base: Duration
    /// The maximum delay, unless a service asks for more. After the first minutes it allows at most eight attempts an
    /// hour.
    package var maximum: Duration

    package init(base: Duration = .seconds(2), maximum: Duration = .seconds(15 * 60)) {
        self.base = base
        self.maximum = maximum
    }

    /// Returns the delay before the next attempt. It doubles with each attempt, and a random factor between a half
    /// and one keeps messages that failed together from being retried together.
    ///
    /// - Parameters:
    ///   - attempts: the number of attempts so far, at least 1.
    ///   - jitter: evenly distributed in 0..<1.
    package func delay(afterAttempts attempts: Int, jitter: Double) -> Duration {
        let doublings = min(max(attempts - 1, 0), 30)
        let grown = min(base * (1 << doublings), maximum)
        return grown * (0.5 + jitter / 2)
    }
}
