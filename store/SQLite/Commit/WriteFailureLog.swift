import Metrics

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

/// The engine's metrics.
struct StoreMetrics: Sendable {
    private let applied = Counter(label: "pushgate_store_commits_total", dimensions: [("outcome", "applied")])
    private let refused = Counter(label: "pushgate_store_commits_total", dimensions: [("outcome", "refused")])
    private let failed = Counter(label: "pushgate_store_commits_total", dimensions: [("outcome", "failed")])
    private let groupSize = Recorder(label: "pushgate_store_commit_group_size")
    /// The time from the beginning of a group's transaction until the group is on the disk.
    private let duration = Metrics.Timer(label: "pushgate_store_commit_seconds")

    func record(_ results: [Result<CommitResult, StoreError>], took elapsed: Duration) {
        let successes = results.count { if case .success = $0 { true } else { false } }
        applied.increment(by: successes)
        refused.increment(by: results.count - successes)
        groupSize.record(results.count)
        duration.recordNanoseconds(elapsed.nanoseconds)
    }

    func recordFailure(of count: Int) { failed.increment(by: count) }
}

extension Duration {
    fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
