import Metrics

/// What the engine counts, by the names it is scraped under.
struct StoreMetrics: Sendable {
    private let applied = Counter(label: "pushgate_store_commits_total", dimensions: [("outcome", "applied")])
    private let refused = Counter(label: "pushgate_store_commits_total", dimensions: [("outcome", "refused")])
    private let failed = Counter(label: "pushgate_store_commits_total", dimensions: [("outcome", "failed")])
    private let groupSize = Recorder(label: "pushgate_store_commit_group_size")
    /// From the beginning of a group's transaction until it is on the disk.
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
