import DocumentStore
import Logging
import Synchronization

/// The events of a dispatcher's outcomes.
///
/// Those of notifications are in the commit that stores their outcomes, so that none is lost. Those of apps that are
/// held up have commits of their own: an app that still is after a crash is reported again.
final class SettlementEvents: Sendable {
    private let context: DispatchContext
    private let recorder: any DeliveryEventRecorder
    /// The apps that were reported as held up, and not as resumed.
    private let reported = Mutex<Set<HeldAppKey>>([])

    init(_ context: DispatchContext, recorder: any DeliveryEventRecorder) {
        self.context = context
        self.recorder = recorder
    }

    /// Returns the writes that record the outcomes of an attempt; none if nobody wants them.
    func writes(
        for results: AttemptResults, _ invalid: [(target: Target, invalidation: TokenInvalidation)],
        of message: AcceptedMessage
    ) -> [Write] {
        guard recorder.isRecording else { return [] }
        let chunk = results.chunk
        let lane = context.resolved(chunk.lane)
        var events: [DeliveryEvent] = []
        if results.sent > 0, results.laneFailure == nil, ends(holdUpOf: lane.withoutEnvironment, chunk.lane) {
            events.append(.resumed(lane.withoutEnvironment))
        }
        let notifications = results.settledTargets.compactMap { index, target in
            chunk.entries[index].outcome.map {
                DeliveryEvent.SettledNotification(
                    id: NotificationID(chunk: chunk.id, index: index), target: target, outcome: $0)
            }
        }
        if !notifications.isEmpty {
            let origin = DeliveryEvent.MessageOrigin(id: message.id, source: message.source)
            events.append(.settled(origin, lane, notifications))
        }
        if !invalid.isEmpty {
            let tokens = invalid.map { DeliveryEvent.InvalidToken(target: $0.target, invalidation: $0.invalidation) }
            events.append(.invalidTokens(lane, tokens))
        }
        return events.isEmpty ? [] : recorder.writes(recording: events)
    }

    /// Returns `true` if a lane that sends is the last one of an app that was reported as held up.
    private func ends(holdUpOf app: Lane, _ lane: Lane) -> Bool {
        guard reported.withLock({ $0.contains { $0.app == app } }) else { return false }
        let isStillHeldUp = context.lanes.unresolvedPauses.contains { other, _ in
            other != lane && context.resolved(other).withoutEnvironment == app && !context.isOfStrangers(other)
        }
        guard !isStillHeldUp else { return false }
        return reported.withLock { reported in
            let count = reported.count
            reported = reported.filter { $0.app != app }
            return reported.count < count
        }
    }

    /// Records that the app of a lane is held up, once for each reason until it sends again. A stranger's host that
    /// fails is not reported.
    func heldUp(_ lane: Lane, _ failure: LaneFailure, reason: String) {
        let lane = context.resolved(lane)
        let key = HeldAppKey(lane, because: reason)
        guard recorder.isRecording, !context.isOfStrangers(lane), reported.withLock({ $0.insert(key).inserted }) else {
            return
        }
        let writes = recorder.writes(recording: [.heldUp(lane, failure, reason: reason)])
        guard !writes.isEmpty else { return }
        context.store.commit(writes) { [self] result in
            switch result {
            case .success: recorder.recorded()
            // Another gateway has recorded the same.
            case .failure(let error) where error.code == .alreadyExists: break
            case .failure(let error):
                // The next failure of the lane is reported.
                _ = reported.withLock { $0.remove(key) }
                context.logger.warning(
                    "failed to record that an app is held up", metadata: ["lane": "\(lane)", "error": "\(error)"])
            }
        }
    }
}

extension Chunk.Entry {
    /// The end of the notification; `nil` while it is pending.
    fileprivate var outcome: DeliveryEvent.SettledNotification.Outcome? {
        switch state {
        case .pending: nil
        case .accepted: .accepted
        case .superseded: .superseded
        case .rejected(let code, let reason): .rejected(code: code, reason: reason)
        }
    }
}
