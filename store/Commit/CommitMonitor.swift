package import Logging
import Metrics
import Synchronization

/// The end of an engine's groups of commits: their completions, their metrics, and the log entries about those that
/// fail.
package final class CommitMonitor: Sendable {
    package typealias Instant = ContinuousClock.Instant

    private let metrics = CommitMetrics()
    private let failures = Mutex(WriteFailureLog())
    private let logger: Logger

    package init(logger: Logger) { self.logger = logger }

    /// Completes the first commits of a group that was written.
    ///
    /// - Parameters:
    ///   - results: those of the commits for which there was time.
    ///   - start: the beginning of its transaction.
    /// - Returns: the number of commits that have their results.
    package func complete(
        _ group: [PendingCommit], with results: [Result<CommitResult, StoreError>], since start: Instant
    ) -> Int {
        wrote(results, since: start)
        for (commit, result) in zip(group, results) { commit.completion(result) }
        return results.count
    }

    /// Completes a group of commits of which nothing was applied.
    ///
    /// - Parameter start: the beginning of its transaction.
    /// - Returns: the number of commits that have their results, which is that of all.
    package func fail(_ group: [PendingCommit], with error: StoreError, since start: Instant) -> Int {
        for commit in group { commit.completion(.failure(error)) }
        failed(commits: group.count, error, since: start)
        return group.count
    }

    /// Records a group of commits that was written.
    private func wrote(_ results: [Result<CommitResult, StoreError>], since start: Instant) {
        metrics.record(results, took: .now - start)
        guard case .working(let duration)? = failures.withLock({ $0.succeeded(at: start) }) else { return }
        logger.notice("resumed writing to the document store", metadata: ["after": "\(duration)"])
    }

    /// Records a group of commits of which nothing was applied. That others interfered is no failure of the store.
    private func failed(commits: Int, _ error: StoreError, since start: Instant) {
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
