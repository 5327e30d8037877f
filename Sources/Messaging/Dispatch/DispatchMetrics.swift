import DocumentStore
import Metrics

/// The metrics of the dispatcher; docs/metrics.md describes them.
struct DispatchMetrics: Sendable {
    private struct Notifications: Hashable {
        let transport: TransportName
        let outcome: String
        let reason: String
    }

    private let notifications = KeptMetrics<Notifications, Counter> {
        Counter(
            label: "pushgate_notifications_total",
            dimensions: [("transport", $0.transport.rawValue), ("outcome", $0.outcome), ("reason", $0.reason)])
    }
    private let answerSeconds = KeptMetrics<TransportName, Timer> {
        Timer(label: "pushgate_answer_seconds", dimensions: [("transport", $0.rawValue)])
    }
    private let deliverySeconds = KeptMetrics<String, Timer> {
        Timer(label: "pushgate_delivery_seconds", dimensions: [("source", $0)])
    }

    /// Counts outcomes.
    ///
    /// - Parameter isLast: `true` if the attempt has ended; its failures are then counted all at once.
    func record(_ results: AttemptResults, lane: Lane, isLast: Bool) {
        let transport = lane.transport
        count(results.sent, transport, "accepted", reason: "")
        count(results.superseded, transport, "superseded", reason: "")
        for (code, count) in results.rejections { self.count(count, transport, "rejected", reason: code.rawValue) }
        guard isLast else { return }
        for (code, count) in results.failures { self.count(count, transport, "failed", reason: code.rawValue) }
    }

    /// Returns the timer for the time from a message's acceptance to a push service's final answer about one
    /// notification.
    func answerTimer(for lane: Lane) -> Timer { answerSeconds[lane.transport] }

    /// Records the state of the queue on disk.
    ///
    /// - Parameters:
    ///   - chunks: the number of unsettled chunks on disk.
    ///   - age: the time since the most overdue chunk was due.
    func recordQueue(chunks: Int, age: Duration) {
        Meter(label: "pushgate_queue_chunks").set(chunks)
        Meter(label: "pushgate_queue_age_seconds").set(age / .seconds(1))
    }

    /// Records the time from acceptance to the last target's outcome.
    func recordSettled(after duration: Duration, source: String) {
        deliverySeconds[source].record(duration: duration)
    }

    func recordWithheldRemovals(_ count: Int, lane: Lane) {
        Counter(
            label: "pushgate_removals_withheld_total", dimensions: [("transport", lane.transport.rawValue)]
        ).increment(by: count)
    }

    private func count(_ count: Int, _ transport: TransportName, _ outcome: String, reason: String) {
        guard count > 0 else { return }
        notifications[Notifications(transport: transport, outcome: outcome, reason: reason)].increment(by: count)
    }
}
