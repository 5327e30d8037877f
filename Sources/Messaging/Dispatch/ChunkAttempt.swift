import DocumentStore
import Logging
import Metrics
import ServiceLifecycle
import Synchronization

/// One attempt at all pending targets of a chunk, from the first one to the last outcome. It runs in callbacks, on the
/// threads that report outcomes: each outcome frees a slot, in which its thread sends the next notification. A task for
/// each would hand it to another thread and back, and separate requests that can leave together.
final class ChunkAttempt: Sendable {
    let job: ChunkJob
    private let context: DispatchContext
    private let settler: ChunkSettler
    private let dispatcher: Dispatcher
    private let prepared: any PreparedMessage
    private let ids: NotificationIDs
    private let semaphore: LaneSemaphore
    /// The time from the message's acceptance to each final answer.
    private let answerTimer: Timer
    private let state: Mutex<AttemptState>

    /// The time for which a notification waits for the answer to one that it replaces.
    private static let answerPatience = Duration.seconds(2)

    /// Creates an attempt at the targets that may be sent to at a time.
    init(
        _ job: ChunkJob, _ prepared: any PreparedMessage, within semaphore: LaneSemaphore, at time: Timestamp,
        _ context: DispatchContext, _ settler: ChunkSettler, dispatcher: Dispatcher
    ) {
        self.job = job
        self.context = context
        self.settler = settler
        self.dispatcher = dispatcher
        self.prepared = prepared
        ids = NotificationIDs(of: job.chunk.id)
        self.semaphore = semaphore
        answerTimer = context.metrics.answerTimer(for: job.chunk.lane)
        state = Mutex(AttemptState(job, at: time, keepsSettled: context.events?.isRecording ?? false))
    }

    // MARK: Sending

    /// Sends to as many targets as the lane has free slots, unless another sender does. It is called again with each
    /// outcome.
    func send() { carryOut(state.withLock { $0.begin() }) }

    /// Sends like ``send()``, on the thread where the transport sends many notifications at the least cost.
    func sendMany() { prepared.sendMany { self.send() } }

    /// Sends like ``send()``, as the sender that has waited for a free slot.
    private func goOn() { carryOut(state.withLock { $0.goOn() }) }

    private func carryOut(_ first: AttemptState.Step) {
        var step = first
        while case .send(let index, let target) = step {
            guard begin(index, target) else { return }
            step = state.withLock { $0.goOn() }
        }
        if case .end(let results) = step { settleLast(results) }
    }

    /// Begins with a target if it is its turn.
    ///
    /// - Returns: `false` if the sender waits for a free slot, and goes on after that.
    private func begin(_ index: Int, _ target: Target) -> Bool {
        switch context.lanes.begin(index, target, of: self) {
        case .send: return expire(index, target) || trySend(index, target, isSender: true)
        case .superseded: supersede(index)
        case .wait: limitWait(of: index, target)
        }
        return true
    }

    /// Sends to a target if the lane has a free slot, else when one is released, on the thread that releases it.
    ///
    /// - Parameter isSender: `true` for the active sender, which goes on after that.
    /// - Returns: `false` if it is sent to later.
    private func trySend(_ index: Int, _ target: Target, isSender: Bool) -> Bool {
        let hasSlot = semaphore.acquire { self.sendLater(index, target, isSender: isSender) }
        if hasSlot { transmitWhenAllowed(index, target) }
        return hasSlot
    }

    private func sendLater(_ index: Int, _ target: Target, isSender: Bool) {
        if state.withLock({ $0.leaveIfCutShort() }) || expire(index, target) {
            semaphore.release()
        } else {
            transmitWhenAllowed(index, target)
        }
        if isSender { goOn() } else { send() }
    }

    /// Sends to a target as soon as this gateway may.
    private func transmitWhenAllowed(_ index: Int, _ target: Target) {
        guard let membership = context.membership, !membership.isHeld else { return transmit(index, target) }
        // Another gateway may be sending the chunk.
        context.tasks.add { [self] in
            let isHeld = await cancelWhenGracefulShutdown { await membership.untilHeld() }
            if isHeld, !expire(index, target) { return transmit(index, target) }
            if !isHeld { state.withLock { $0.abandon() } }
            semaphore.release()
            send()
        }
    }

    private func transmit(_ index: Int, _ target: Target) {
        prepared.send(OutgoingNotification(id: ids[index], target: target), in: context.tasks) { [self] outcome in
            guard job.chunk.followsRegistrations, outcome.isOfInvalidAddress else {
                return take(outcome, index, target)
            }
            context.tasks.add { [self] in take(await following(outcome, of: target), index, target) }
        }
        let line = job.line(of: target)
        if !line.isCollapsible { context.lanes.end(job.place(index), in: line).next?(true) }
    }

    /// Takes in the outcome of a notification, and sends others.
    private func take(_ outcome: Outcome, _ index: Int, _ target: Target) {
        log(outcome, index, target)
        let line = job.line(of: target)
        let end =
            line.isCollapsible ? context.lanes.end(job.place(index), in: line, hasFailed: !outcome.isFinal) : nil
        let isOpen = record(outcome, for: target, at: index, isSuperseded: end?.isSuperseded ?? false)
        end?.next?(true)
        if isOpen { dispatcher.resume(job.chunk.lane) }
        // Last, because it may send many others.
        semaphore.release()
        guard isOpen else { return send() }
        context.tasks.add { self.send() }
    }

    /// Returns the outcome of a notification to an invalid address: a failure if the device has registered another one
    /// meanwhile, to which the next attempt goes, or if that cannot be told.
    private func following(_ outcome: Outcome, of target: Target) async -> Outcome {
        guard let path = target.registration else { return outcome }
        do throws(StoreError) {
            let registration = try await context.store.document(at: path)
            let fields = job.message.registrationFields
            guard let present = registration.flatMap({ fields.address(in: $0)?.moved(to: job.chunk.lane) }),
                present != target.address
            else { return outcome }
        } catch {
            context.logger.warning("failed to read a registration", metadata: ["error": "\(error)"])
        }
        return .addressReplaced
    }

    // MARK: Turns

    /// Ends a target's wait for its turn.
    ///
    /// - Parameter isTurn: `false` if a newer message replaces it instead.
    func endWait(_ index: Int, _ target: Target, isTurn: Bool) {
        context.tasks.add { self.goOn(index, target, isTurn: isTurn) }
    }

    private func goOn(_ index: Int, _ target: Target, isTurn: Bool) {
        defer { send() }
        guard isTurn else { return supersede(index) }
        guard !state.withLock({ $0.leaveIfCutShort() }) else { return }
        if !job.isProbe, context.lanes.isHeldUp(job.chunk.lane) {
            // Behind those of its line that have failed.
            state.withLock { $0.abandon() }
        } else if !expire(index, target) {
            _ = trySend(index, target, isSender: false)
        }
    }

    /// Ends the wait for the answer to an older notification after a while: its request is given up, or, if the
    /// transport cannot do that, no longer waited for.
    private func limitWait(of index: Int, _ target: Target) {
        let (place, line) = (job.place(index), job.line(of: target))
        guard line.isCollapsible else { return }
        _ = context.deadlines.set(after: Self.answerPatience) { [context, lane = job.chunk.lane] reason in
            guard reason == .due, let older = context.lanes.predecessor(of: place, in: line),
                !context.transports.transport(for: lane)
                    .cancel(NotificationID(chunk: older.chunk, index: older.index))
            else { return }
            context.lanes.end(older, in: line).next?(true)
        }
    }

    // MARK: Outcomes

    /// Records an outcome.
    ///
    /// - Returns: `true` if the outcome shows that the paused lane works again.
    private func record(_ outcome: Outcome, for target: Target, at index: Int, isSuperseded: Bool) -> Bool {
        let time = context.now()
        if outcome.isFinal { answerTimer.record(duration: time - job.message.acceptedAt) }
        return state.withLock {
            $0.record(outcome, for: target, at: index, isSuperseded: isSuperseded, now: time)
        }
    }

    private func supersede(_ index: Int) {
        let time = context.now()
        state.withLock { $0.supersede(index, at: time) }
    }

    /// Rejects a target if its message has expired, possibly while it waited for its turn, for a free slot, or until
    /// this gateway may send.
    ///
    /// - Returns: `true` if it did.
    private func expire(_ index: Int, _ target: Target) -> Bool {
        let time = context.now()
        guard job.message.expiresAt <= time else { return false }
        let next = context.lanes.end(job.place(index), in: job.line(of: target)).next
        state.withLock { $0.expire(index, target, at: time) }
        next?(true)
        return true
    }

    private func log(_ outcome: Outcome, _ index: Int, _ target: Target) {
        let logger = context.logger
        func metadata(_ reason: String) -> Logger.Metadata {
            ["id": "\(ids[index])", "token": "\(target.address.token)", "reason": "\(reason)"]
        }
        switch outcome {
        case .accepted(let acceptance):
            logger.trace("accepted", metadata: metadata("Success"))
            if let environment = acceptance.found?.environment {
                logger.notice(
                    "recorded \(environment) for a token whose registration names no environment",
                    metadata: metadata("BadDeviceToken"))
            }
        case .rejected(let rejection):
            logger.log(level: isOfStrangers ? .debug : .info, "rejected", metadata: metadata(rejection.reason))
        case .failed(let failure):
            logger.log(
                level: isOfStrangers ? .debug : .notice, "failed; retrying later", metadata: metadata(failure.reason))
        }
    }

    /// `true` if strangers could fill the log with the outcomes.
    private var isOfStrangers: Bool { context.isOfStrangers(job.chunk.lane) }

    // MARK: Storing

    /// Stores recorded outcomes repeatedly until the attempt ends. Otherwise one slow target would keep the outcomes
    /// of the others in memory only, and from the callers that wait for them.
    func scheduleCheckpoint() {
        _ = context.deadlines.set(after: context.configuration.checkpointInterval) { [weak self] reason in
            guard reason == .due, let self, !self.state.withLock(\.isOver) else { return }
            if let results = self.state.withLock({ $0.checkpoint() }) {
                self.context.tasks.add { self.settler.settle(results, of: self, isLast: false) }
            }
            self.scheduleCheckpoint()
        }
    }

    /// Goes on after a batch of outcomes that is not the last one was stored.
    func stored() {
        if let results = state.withLock({ $0.stored() }) { settleLast(results) }
    }

    /// Ends the attempt, after its last batch of outcomes was stored, or after the gateway had to stop before that: it
    /// then sends to the targets again after the start.
    ///
    /// - Parameter dueAt: the time of the next attempt at the chunk; `nil` if it is settled.
    func end(dueAt: Timestamp?) { dispatcher.finish(job, dueAt: dueAt) }

    /// A task stores hundreds of outcomes, so that they do not block the thread that receives answers or commits.
    private func settleLast(_ results: AttemptResults) {
        guard job.chunk.entries.count > 1 else { return settler.settle(results, of: self, isLast: true) }
        context.tasks.add { [self] in settler.settle(results, of: self, isLast: true) }
    }
}

extension Outcome {
    /// The failure of a notification to an address that the device has replaced.
    fileprivate static let addressReplaced = Outcome.failed(
        Failure(code: .serverUnavailable, reason: "AddressReplaced"))

    fileprivate var isOfInvalidAddress: Bool {
        if case .rejected(let rejection) = self { rejection.invalidation != nil } else { false }
    }
}
