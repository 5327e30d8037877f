/// What to say in the log while writing fails: at the beginning, now and then while it lasts, and at the end. Pure.
struct WriteTroubles: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Report: Hashable, Sendable {
        /// - Parameter commits: how many have failed since the last report, those just now included.
        case failing(commits: Int)
        case working(after: Duration)
    }

    private var beganAt: Instant?
    private var nextReport: Instant?
    private var unreported = 0
    /// Whether it was said that writing fails, and not yet that it works.
    private var isReported = false

    private static let interval = Duration.seconds(30)

    mutating func failed(commits: Int, at now: Instant) -> Report? {
        beganAt = beganAt ?? now
        unreported += commits
        guard nextReport.map({ $0 <= now }) ?? true else { return nil }
        nextReport = now + Self.interval
        isReported = true
        defer { unreported = 0 }
        return .failing(commits: unreported)
    }

    mutating func succeeded(at now: Instant) -> Report? {
        guard let beganAt else { return nil }
        self.beganAt = nil
        defer { isReported = false }
        return isReported ? .working(after: now - beganAt) : nil
    }
}
