import DocumentStore
import Logging

/// One attempt at a chunk, from its pending targets to the last outcome. It runs in callbacks, on the threads that
/// report outcomes.
extension Dispatcher {
    /// Starts an attempt.
    ///
    /// - Parameter message: the job's message, if it was prepared before.
    func start(_ job: Job, within semaphore: LaneSemaphore, _ message: (any PreparedMessage)? = nil) {
        job.delivery?.chunkStarted(job.chunk.id.number)
        guard job.chunk.entries.count > 1 else { return send(pass(of: job, message, within: semaphore)) }
        // A task makes hundreds of requests, so that they do not block the thread that has just committed their
        // chunk.
        tasks.add { [self] in
            let pass = pass(of: job, message, within: semaphore)
            scheduleCheckpoint(of: pass)
            send(pass)
        }
    }

    private func pass(of job: Job, _ message: (any PreparedMessage)?, within semaphore: LaneSemaphore) -> ChunkPass {
        let time = now()
        let pass = ChunkPass(
            job, message ?? prepare(job), to: job.chunk.pendingTargets(at: time), within: semaphore,
            answerTimer: metrics.answerTimer(for: job.chunk.lane))
        if job.message.expiresAt <= time { pass.expire(at: time) }
        return pass
    }

    /// Prepares the message of a job.
    func prepare(_ job: Job) -> any PreparedMessage {
        transports.transport(for: job.chunk.lane).prepare(job.outgoingMessage)
    }

    /// Sends to as many targets as the lane has free slots. It is called again when slots become free, and with each
    /// outcome.
    private func send(_ pass: ChunkPass, isGoingOn: Bool = false) {
        var isGoingOn = isGoingOn
        while true {
            switch pass.next(isGoingOn: isGoingOn) {
            case .wait: return
            case .end: return end(pass)
            case .send(let index, let target):
                isGoingOn = true
                let hasPlace = pass.semaphore.acquire { [self] in
                    tasks.add { self.sendLater(index, target, in: pass) }
                }
                guard hasPlace else { return }
                send(index, target, in: pass)
            }
        }
    }

    private func sendLater(_ index: Int, _ target: Target, in pass: ChunkPass) {
        if pass.isCutShort {
            pass.leave()
            pass.semaphore.release()
        } else {
            send(index, target, in: pass)
        }
        send(pass, isGoingOn: true)
    }

    private func send(_ index: Int, _ target: Target, in pass: ChunkPass) {
        let id = NotificationID(chunk: pass.job.chunk.id, index: index)
        pass.prepared.send(OutgoingNotification(id: id, target: target), in: tasks) { [self] outcome in
            log(outcome, id, target)
            let isOpen = pass.record(outcome, for: target, at: index, now: now())
            pass.semaphore.release()
            guard isOpen else { return send(pass) }
            resume(pass.job.chunk.lane)
            tasks.add { self.send(pass) }
        }
    }

    private func end(_ pass: ChunkPass) {
        if let harvest = pass.end() { settleLast(harvest, of: pass) }
    }

    /// A task stores hundreds of outcomes, so that they do not block the thread that receives answers or commits.
    func settleLast(_ harvest: ChunkPass.Harvest, of pass: ChunkPass) {
        guard pass.job.chunk.entries.count > 1 else { return settle(harvest, of: pass, isLast: true) }
        tasks.add { self.settle(harvest, of: pass, isLast: true) }
    }

    /// Stores recorded outcomes repeatedly until the attempt ends. Otherwise one slow target would keep the outcomes
    /// of the others in memory only, and from the callers that wait for them.
    private func scheduleCheckpoint(of pass: ChunkPass) {
        _ = deadlines.set(after: configuration.checkpointInterval) { [self, weak pass] reason in
            guard reason == .due, let pass, !pass.isOver else { return }
            if let harvest = pass.checkpoint() { tasks.add { self.settle(harvest, of: pass, isLast: false) } }
            scheduleCheckpoint(of: pass)
        }
    }

    private func log(_ outcome: Outcome, _ id: NotificationID, _ target: Target) {
        let metadata: @Sendable (String) -> Logger.Metadata = { reason in
            ["id": "\(id)", "token": "\(target.address.token)", "reason": "\(reason)"]
        }
        switch outcome {
        case .accepted(let acceptance):
            logger.trace("accepted", metadata: metadata("Success"))
            if let environment = acceptance.environment {
                logger.notice(
                    "recorded \(environment) for a token whose registration names no environment",
                    metadata: metadata("BadDeviceToken"))
            }
        case .rejected(let rejection): logger.info("rejected", metadata: metadata(rejection.reason))
        case .failed(let failure): logger.notice("failed; retrying later", metadata: metadata(failure.reason))
        }
    }
}

extension Job {
    var outgoingMessage: OutgoingMessage {
        OutgoingMessage(
            message: message.message, lane: chunk.lane, expiration: message.expiresAt.microseconds / 1_000_000,
            acceptedAt: message.acceptedAt.seconds, id: message.id, identity: message.identity,
            condition: message.condition)
    }
}
