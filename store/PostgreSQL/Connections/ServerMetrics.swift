import Metrics

/// The metrics of the connections to a server, and of its members; docs/metrics.md describes them.
struct ServerMetrics: Sendable {
    private let busy = Meter(label: "pushgate_store_connections_busy")
    private let wait = Metrics.Timer(label: "pushgate_store_connection_wait_seconds")
    private let conflicts = Counter(label: "pushgate_store_retries_total", dimensions: [("reason", "conflict")])
    private let losses = Counter(label: "pushgate_store_retries_total", dimensions: [("reason", "connection")])
    private let members = Meter(label: "pushgate_store_members")
    private let leader = Meter(label: "pushgate_store_leader")
    private let removals = Counter(label: "pushgate_store_members_removed_total")

    /// Records the beginning of work that waited for a connection.
    func began(after waited: Duration) {
        busy.increment()
        wait.record(duration: waited)
    }

    func ended() { busy.decrement() }

    /// Counts a group of commits that is tried again.
    func retry(after error: PostgreSQLError) { (error.isConflict ? conflicts : losses).increment() }

    /// Records the members that a renewal has found.
    func record(members count: Int, isLeader: Bool) {
        members.set(count)
        leader.set(isLeader ? 1 : 0)
    }

    func countRemoval() { removals.increment() }
}
