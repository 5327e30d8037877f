/// The decisions about log entries while writes fail: at the beginning, at intervals during the failure, and at the
/// end. This is a value without I/O.
struct WriteFailureLog: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Report: Hashable, Sendable {
        /// - Parameter commits: the number of failed commits since the last report, including the present ones.
        case failing(commits: Int)
        case working(after: Duration)
    }

    private var beganAt: Instant?
    private var nextReport: Instant?
    private var unreported = 0
    /// `true` if a failure was reported, and success has not been reported since.
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
