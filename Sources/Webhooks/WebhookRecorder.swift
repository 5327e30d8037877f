package import DocumentStore
package import Messaging
import Metrics
import Synchronization

/// The recorder that puts events into the queues of the targets that want them.
package final class WebhookRecorder: DeliveryEventRecorder {
    private let targets: WebhookTargets
    private let isShared: Bool
    private let secretCollections: Set<String>
    private let hasRoom: @Sendable () -> Bool
    private let announce: @Sendable () -> Void
    private let now: @Sendable () -> Timestamp
    private let last = Mutex(Timestamp.distantPast)
    /// The times at which apps that were held up have sent again.
    private let resumptions = Mutex<[Lane: Timestamp]>([:])

    /// The maximum number of notifications or tokens in an event.
    static let maximumElements = 250
    /// In bytes. A document has a mebibyte at most.
    private static let maximumBodyBytes = 900_000

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - isShared: `true` if other gateways record too.
    ///   - secretCollections: The collections at the root whose ids are credentials, which events do not have.
    ///   - hasRoom: Returns `false` while the disk is nearly full; events are then left out.
    ///   - announce: Called after events were committed.
    package init(
        _ targets: WebhookTargets, isShared: Bool, secretCollections: Set<String>,
        hasRoom: @escaping @Sendable () -> Bool, announce: @escaping @Sendable () -> Void,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.targets = targets
        self.isShared = isShared
        self.secretCollections = secretCollections
        self.hasRoom = hasRoom
        self.announce = announce
        self.now = now
    }

    package var isRecording: Bool { !targets.isEmpty }

    package func writes(recording events: [DeliveryEvent]) -> [Write] {
        for case .resumed(let lane) in events { resumptions.withLock { $0[lane] = now() } }
        let all = targets.all
        let wanted = events.filter { event in all.contains { $0.kinds.contains(event.webhookKind) } }
        guard !wanted.isEmpty else { return [] }
        guard hasRoom() else {
            WebhookMetrics.recordDropped(wanted.count, "disk_full")
            return []
        }
        return wanted.flatMap { $0.parts(of: Self.maximumElements) }.flatMap { event -> [Write] in
            let time = nextTime()
            let isCommon = isCommon(event, at: time)
            let record = WebhookEvent(event, at: time, isCommon: isCommon, hiding: secretCollections)
            guard record.body.utf8.count <= Self.maximumBodyBytes else {
                WebhookMetrics.recordDropped(1, "too_large")
                return []
            }
            return all.filter { $0.kinds.contains(event.webhookKind) }.compactMap { target in
                // The ids of targets are ids of documents.
                try? record.write(for: target.id, isOnlyNew: isCommon)
            }
        }
    }

    /// Returns `true` if other gateways may observe the same, of which one event is enough.
    ///
    /// An app that is held up again after it has sent has a new event: receivers leave out the ids that they know.
    private func isCommon(_ event: DeliveryEvent, at time: Timestamp) -> Bool {
        guard isShared, case .heldUp(let lane, _, _) = event else { return false }
        guard let resumedAt = resumptions.withLock({ $0[lane.withoutEnvironment] }) else { return true }
        return resumedAt < DeliveryEvent.commonStart(at: time)
    }

    /// Returns the present time, later than all before: ids of events sort by it.
    private func nextTime() -> Timestamp {
        let time = now()
        return last.withLock { last in
            last = max(time, last.adding(.microseconds(1)))
            return last
        }
    }

    package func recorded() { announce() }
}

/// The metrics of webhooks; docs/metrics.md describes them.
enum WebhookMetrics {
    /// Counts an attempt.
    static func recordAttempt(_ outcome: String) {
        Counter(label: "pushgate_webhook_attempts_total", dimensions: [("outcome", outcome)]).increment()
    }

    /// Counts events that are given up.
    static func recordDropped(_ count: Int, _ reason: String) {
        Counter(label: "pushgate_webhook_events_dropped_total", dimensions: [("reason", reason)]).increment(by: count)
    }
}
