package import Logging
import Metrics
import Synchronization

/// The metrics of an engine's commits, and the log entries about those that fail.
package final class CommitMonitor: Sendable {
    package typealias Instant = ContinuousClock.Instant

    private let metrics = CommitMetrics()
    private let failures = Mutex(WriteFailureLog())
    private let logger: Logger

    package init(logger: Logger) { self.logger = logger }

    /// Records a group of commits that was written.
    ///
    /// - Parameter start: the beginning of its transaction.
    package func wrote(_ results: [Result<CommitResult, StoreError>], since start: Instant) {
        metrics.record(results, took: .now - start)
        guard case .working(let duration)? = failures.withLock({ $0.succeeded(at: start) }) else { return }
        logger.notice("resumed writing to the document store", metadata: ["after": "\(duration)"])
    }

    /// Records a group of commits of which nothing was applied. That others interfered is no failure of the store.
    package func failed(commits: Int, _ error: StoreError, since start: Instant) {
        metrics.recordFailure(of: commits)
        guard error.code != .aborted,
            case .failing(let commits)? = failures.withLock({ $0.failed(commits: commits, at: start) })
        else { return }
        logger.error(
            "failed to write to the document store", metadata: ["commits": "\(commits)", "error": "\(error)"])
    }
}

/// The metrics of commits.
private struct CommitMetrics: Sendable {
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
