import DocumentStore
import Logging
import ServiceLifecycle
import Synchronization

/// One attempt at a chunk, from its pending targets to the last outcome. It runs in callbacks, on the threads that
/// report outcomes.
extension Dispatcher {
    /// Starts an attempt.
    ///
    /// - Parameter message: the job's message, if it was prepared before.
    func start(_ job: ChunkJob, within semaphore: LaneSemaphore, _ message: (any PreparedMessage)? = nil) {
        job.delivery?.chunkStarted(job.chunk.id.number)
        guard job.chunk.entries.count > 1 || job.message.badge != nil else {
            return send(attempt(of: job, message, within: semaphore))
        }
        // A task makes hundreds of requests, so that they do not block the thread that has just committed their
        // chunk.
        tasks.add { [self] in
            let attempt = attempt(of: await withBadge(job), message, within: semaphore)
            scheduleCheckpoint(of: attempt)
            send(attempt)
        }
    }

    /// Returns a job whose message has the badge of this moment, if it counts something. The message keeps the badge of
    /// its acceptance if the counter cannot be read.
    private func withBadge(_ job: ChunkJob) async -> ChunkJob {
        guard let counter = job.message.badge else { return job }
        do {
            let document = try await store.document(at: counter.document)
            var job = job
            if let badge = document?[counter.field]?.integer { job.message.message.replaceBadge(by: badge) }
            return job
        } catch {
            logger.warning("failed to read a badge", metadata: ["error": "\(error)"])
            return job
        }
    }

    private func attempt(of job: ChunkJob, _ message: (any PreparedMessage)?, within semaphore: LaneSemaphore)
        -> ChunkAttempt
    {
        let time = now()
        let attempt = ChunkAttempt(
            job, message ?? prepare(job), to: job.chunk.pendingTargets(at: time), within: semaphore,
            answerTimer: metrics.answerTimer(for: job.chunk.lane))
        attempt.supersedeReplaced(at: time)
        if job.message.expiresAt <= time {
            attempt.expire(at: time)
            for handler in order.withLock({ $0.leave([job]) }) { handler(true) }
        }
        return attempt
    }

    /// Prepares the message of a job.
    func prepare(_ job: ChunkJob) -> any PreparedMessage {
        transports.transport(for: job.chunk.lane).prepare(job.outgoingMessage)
    }

    /// Sends to as many targets as the lane has free slots. It is called again when slots become free, and with each
    /// outcome.
    private func send(_ attempt: ChunkAttempt, isGoingOn: Bool = false) {
        var isGoingOn = isGoingOn
        while true {
            switch attempt.next(isGoingOn: isGoingOn) {
            case .wait: return
            case .end: return end(attempt)
            case .send(let index, let target):
                isGoingOn = true
                switch begin(index, target, in: attempt) {
                case .send:
                    if expire(index, target, in: attempt) { continue }
                    guard trySend(index, target, in: attempt, goesOn: true) else { return }
                case .superseded: attempt.supersede(index, at: now())
                case .wait: break
                }
            }
        }
    }

    /// Sends to a target if the lane has a free slot, else later.
    ///
    /// - Parameter goesOn: `true` if the sender of the attempt goes on after that.
    /// - Returns: `false` if it is sent to later.
    private func trySend(_ index: Int, _ target: Target, in attempt: ChunkAttempt, goesOn: Bool) -> Bool {
        let hasSlot = attempt.semaphore.acquire { [self] in
            tasks.add { self.sendLater(index, target, in: attempt, goesOn: goesOn) }
        }
        if hasSlot { send(index, target, in: attempt) }
        return hasSlot
    }

    private func sendLater(_ index: Int, _ target: Target, in attempt: ChunkAttempt, goesOn: Bool) {
        if attempt.isCutShort {
            attempt.leave()
            attempt.semaphore.release()
        } else if expire(index, target, in: attempt) {
            attempt.semaphore.release()
        } else {
            send(index, target, in: attempt)
        }
        send(attempt, isGoingOn: goesOn)
    }

    // MARK: Order

    /// Begins to send to a target if it is its turn.
    private func begin(_ index: Int, _ target: Target, in attempt: ChunkAttempt) -> SendingOrder<TurnHandler>.Turn {
        let (place, line) = (attempt.job.place(index), attempt.job.line(of: target))
        let turn = order.withLock { order in
            order.begin(place, in: line) { [self] isTurn in
                tasks.add { self.goOn(index, target, in: attempt, isTurn: isTurn) }
            }
        }
        if case .wait = turn, line.isCollapsible { limitWait(of: place, in: line, attempt.job.chunk.lane) }
        return turn
    }

    /// Sends to a target that waited for its turn, or settles it if a newer message replaces it.
    private func goOn(_ index: Int, _ target: Target, in attempt: ChunkAttempt, isTurn: Bool) {
        if !isTurn {
            attempt.supersede(index, at: now())
        } else if attempt.isCutShort {
            attempt.leave()
        } else if !attempt.job.isProbe, isHeldUp(attempt.job.chunk.lane) {
            // Behind those of its line that have failed.
            attempt.abandon()
        } else if !expire(index, target, in: attempt) {
            _ = trySend(index, target, in: attempt, goesOn: false)
        }
        send(attempt)
    }

    /// Rejects a target if its message has expired, possibly while it waited for its turn, for a free slot, or until
    /// this gateway may send.
    ///
    /// - Returns: `true` if it did.
    private func expire(_ index: Int, _ target: Target, in attempt: ChunkAttempt) -> Bool {
        let time = now()
        guard attempt.job.message.expiresAt <= time else { return false }
        let (place, line) = (attempt.job.place(index), attempt.job.line(of: target))
        let next = order.withLock { $0.end(place, in: line).next }
        attempt.expire(index, target, at: time)
        next?(true)
        return true
    }

    /// Ends the wait for the answer to an older notification after a while: its request is given up, or, if the
    /// transport cannot do that, no longer waited for.
    private func limitWait(of place: NotificationPlace, in line: SendingLine, _ lane: Lane) {
        _ = deadlines.set(after: Self.answerPatience) { [self] reason in
            guard reason == .due, let older = order.withLock({ $0.predecessor(of: place, in: line) }),
                !transports.transport(for: lane).cancel(NotificationID(chunk: older.chunk, index: older.index))
            else { return }
            order.withLock { $0.end(older, in: line) }.next?(true)
        }
    }

    /// The time for which a notification waits for the answer to one that it replaces.
    private static let answerPatience = Duration.seconds(2)

    // MARK: Sending

    private func send(_ index: Int, _ target: Target, in attempt: ChunkAttempt) {
        guard let membership, !membership.isHeld else { return transmit(index, target, in: attempt) }
        // Another gateway may be sending the chunk.
        tasks.add { [self] in
            let isHeld = await cancelWhenGracefulShutdown { await membership.untilHeld() }
            if isHeld, !expire(index, target, in: attempt) { return transmit(index, target, in: attempt) }
            if !isHeld { attempt.abandon() }
            attempt.semaphore.release()
            send(attempt)
        }
    }

    private func transmit(_ index: Int, _ target: Target, in attempt: ChunkAttempt) {
        let id = NotificationID(chunk: attempt.job.chunk.id, index: index)
        let (place, line) = (attempt.job.place(index), attempt.job.line(of: target))
        attempt.prepared.send(OutgoingNotification(id: id, target: target), in: tasks) { [self] outcome in
            log(outcome, id, target)
            let end =
                line.isCollapsible ? order.withLock { $0.end(place, in: line, hasFailed: !outcome.isFinal) } : nil
            let isOpen = attempt.record(
                outcome, for: target, at: index, isSuperseded: end?.isSuperseded ?? false, now: now())
            attempt.semaphore.release()
            end?.next?(true)
            guard isOpen else { return send(attempt) }
            resume(attempt.job.chunk.lane)
            tasks.add { self.send(attempt) }
        }
        if !line.isCollapsible { order.withLock { $0.end(place, in: line) }.next?(true) }
    }

    private func end(_ attempt: ChunkAttempt) {
        if let results = attempt.end() { settleLast(results, of: attempt) }
    }

    /// A task stores hundreds of outcomes, so that they do not block the thread that receives answers or commits.
    func settleLast(_ results: ChunkAttempt.Results, of attempt: ChunkAttempt) {
        guard attempt.job.chunk.entries.count > 1 else { return settle(results, of: attempt, isLast: true) }
        tasks.add { self.settle(results, of: attempt, isLast: true) }
    }

    /// Stores recorded outcomes repeatedly until the attempt ends. Otherwise one slow target would keep the outcomes
    /// of the others in memory only, and from the callers that wait for them.
    private func scheduleCheckpoint(of attempt: ChunkAttempt) {
        _ = deadlines.set(after: configuration.checkpointInterval) { [self, weak attempt] reason in
            guard reason == .due, let attempt, !attempt.isOver else { return }
            if let results = attempt.checkpoint() { tasks.add { self.settle(results, of: attempt, isLast: false) } }
            scheduleCheckpoint(of: attempt)
        }
    }

    private func log(_ outcome: Outcome, _ id: NotificationID, _ target: Target) {
        let metadata: @Sendable (String) -> Logger.Metadata = { reason in
            ["id": "\(id)", "token": "\(target.address.token)", "reason": "\(reason)"]
        }
        switch outcome {
        case .accepted(let acceptance):
            logger.trace("accepted", metadata: metadata("Success"))
            if let environment = acceptance.found?.environment {
                logger.notice(
                    "recorded \(environment) for a token whose registration names no environment",
                    metadata: metadata("BadDeviceToken"))
            }
        case .rejected(let rejection): logger.info("rejected", metadata: metadata(rejection.reason))
        case .failed(let failure): logger.notice("failed; retrying later", metadata: metadata(failure.reason))
        }
    }
}

extension ChunkJob {
    var outgoingMessage: OutgoingMessage {
        OutgoingMessage(
            message: message.message, lane: chunk.lane, expiration: message.expiresAt.microseconds / 1_000_000,
            acceptedAt: message.acceptedAt.seconds, id: message.id, identity: message.identity,
            condition: message.condition)
    }
}
