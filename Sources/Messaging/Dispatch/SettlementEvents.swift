import DocumentStore
import Logging
import Synchronization

/// The events of a dispatcher's outcomes.
///
/// Those of notifications are in the commit that stores their outcomes, so that none is lost. Those of apps that are
/// held up have commits of their own, which also keep that it was reported: the end is reported after a restart too.
final class SettlementEvents: Sendable {
    private let context: DispatchContext
    private let recorder: any DeliveryEventRecorder
    private let documents: ReportedHoldUps
    /// The apps that were reported as held up, and not as resumed, with the documents that keep that.
    private let reported = Mutex<[HeldAppKey: Set<DocumentPath>]>([:])

    init(_ context: DispatchContext, recorder: any DeliveryEventRecorder) {
        self.context = context
        self.recorder = recorder
        documents = ReportedHoldUps(context)
    }

    /// Reads the apps that an earlier process has reported as held up. Nothing is sent before that, and nothing is read
    /// later.
    func readReported() async {
        do throws(StoreError) {
            let earlier = try await documents.read()
            reported.withLock { $0.merge(earlier) { $0.union($1) } }
        } catch {
            guard !Task.isCancelled else { return }
            context.logger.warning(
                "failed to read the apps that were reported as held up", metadata: ["error": "\(error)"])
        }
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
        var ended: Set<DocumentPath> = []
        if results.sent > 0, results.laneFailure == nil {
            ended = endHoldUp(of: lane.withoutEnvironment, chunk.lane)
            if !ended.isEmpty { events.append(.resumed(lane.withoutEnvironment)) }
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
        return events.isEmpty ? [] : recorder.writes(recording: events) + ended.map { Write.delete($0) }
    }

    /// Forgets the reports of an app, if the lane that sends is the last one of it that was held up.
    ///
    /// - Returns: the documents of the reports; none if it was not reported, or another lane is still held up.
    private func endHoldUp(of app: Lane, _ lane: Lane) -> Set<DocumentPath> {
        guard reported.withLock({ $0.keys.contains { $0.app == app } }) else { return [] }
        let isStillHeldUp = context.lanes.unresolvedPauses.contains { other, _ in
            other != lane && context.resolved(other).withoutEnvironment == app && !context.isOfStrangers(other)
        }
        guard !isStillHeldUp else { return [] }
        return reported.withLock { reported in
            let ended = reported.filter { $0.key.app == app }
            for key in ended.keys { reported[key] = nil }
            return ended.values.reduce(into: Set<DocumentPath>()) { $0.formUnion($1) }
        }
    }

    /// Records that the app of a lane is held up, once for each reason until it sends again. A stranger's host that
    /// fails is not reported.
    func heldUp(_ lane: Lane, _ failure: LaneFailure, reason: String) {
        let lane = context.resolved(lane)
        let key = HeldAppKey(lane, because: reason)
        guard recorder.isRecording, !context.isOfStrangers(lane), let path = try? documents.path(of: key) else {
            return
        }
        let isNew = reported.withLock { reported in
            guard reported[key] == nil else { return false }
            reported[key] = [path]
            return true
        }
        guard isNew else { return }
        let creation = documents.creation(of: key, at: path)
        commit(recorder.writes(recording: [.heldUp(lane, failure, reason: reason)]) + [creation], reporting: key) {
            // Another gateway has recorded the same.
            guard self.reported.withLock({ $0[key] != nil }) else { return }
            self.commit([creation], reporting: key) {}
        }
    }

    /// Commits the report of an app.
    ///
    /// - Parameter ifRecorded: called if the event is there already.
    private func commit(
        _ writes: [Write], reporting key: HeldAppKey, ifRecorded: @escaping @Sendable () -> Void
    ) {
        context.store.commit(writes) { [self] result in
            switch result {
            case .success: recorder.recorded()
            case .failure(let error) where error.code == .alreadyExists: ifRecorded()
            case .failure(let error):
                // The next failure of the lane is reported.
                _ = reported.withLock { $0.removeValue(forKey: key) }
                context.logger.warning(
                    "failed to record that an app is held up", metadata: ["lane": "\(key.app)", "error": "\(error)"])
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
