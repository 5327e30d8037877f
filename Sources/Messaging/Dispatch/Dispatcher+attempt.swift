internal import DocumentStore
internal import Logging

/// One attempt at a chunk, from its pending targets to the commit of what became of them.
extension Dispatcher {
    func attempt(_ job: Job, within semaphore: LaneSemaphore) async {
        job.delivery?.chunkStarted(job.chunk.id.number)
        let pass = ChunkPass(
            job.chunk, acceptedAt: job.message.acceptedAt, answerTimer: metrics.answerTimer(for: job.chunk.lane))
        if job.message.expiresAt <= now() {
            expire(job, in: pass)
        } else {
            await send(job, in: pass, within: semaphore)
        }
        let dueAt = await settle(pass.harvest(), of: job, isLast: true)
        finish(job, dueAt: dueAt)
    }

    private func expire(_ job: Job, in pass: ChunkPass) {
        let outcome = Outcome.rejected(Rejection(code: .serverUnavailable, reason: "Expired"))
        for (index, target) in job.chunk.pendingTargets(at: .distantFuture) {
            pass.record(outcome, for: target, at: index, now: now(), isAnswer: false)
        }
    }

    /// One that is alone, or has to find out whether its lane is open, is sent by itself; the rest all at once, as far as
    /// the lane's window goes.
    private func send(_ job: Job, in pass: ChunkPass, within semaphore: LaneSemaphore) async {
        let prepared = transports.transport(for: job.chunk.lane).prepare(job.outgoingMessage)
        var targets = job.chunk.pendingTargets(at: now())[...]
        if job.isProbe || targets.count == 1, let (index, target) = targets.popFirst() {
            await send(prepared, job.chunk.id, index, target, in: pass, within: semaphore)
            if job.isProbe, !pass.isCutShort { resume(job.chunk.lane) }
        }
        guard !targets.isEmpty, !pass.isCutShort else { return }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.checkpoint(pass, of: job) }
            await sendAll(targets, of: job, prepared, in: pass, within: semaphore)
            pass.end()
        }
    }

    private func sendAll(
        _ targets: ArraySlice<(index: Int, target: Target)>, of job: Job, _ prepared: any PreparedMessage,
        in pass: ChunkPass, within semaphore: LaneSemaphore
    ) async {
        await withDiscardingTaskGroup { sends in
            for (index, target) in targets {
                await semaphore.acquire()
                guard !pass.isCutShort else { return semaphore.release() }
                sends.addTask {
                    await self.send(prepared, job.chunk.id, index, target, in: pass)
                    semaphore.release()
                }
            }
        }
    }

    private func send(
        _ prepared: any PreparedMessage, _ chunk: ChunkID, _ index: Int, _ target: Target, in pass: ChunkPass,
        within semaphore: LaneSemaphore
    ) async {
        await semaphore.acquire()
        await send(prepared, chunk, index, target, in: pass)
        semaphore.release()
    }

    private func send(
        _ prepared: any PreparedMessage, _ chunk: ChunkID, _ index: Int, _ target: Target, in pass: ChunkPass
    ) async {
        let id = NotificationID(chunk: chunk, index: index)
        let outcome = await prepared.send(OutgoingNotification(id: id, target: target))
        log(outcome, id, target)
        pass.record(outcome, for: target, at: index, now: now())
    }

    /// Stores what has come in, again and again, until the pass ends: one slow target must not keep the outcomes of the
    /// others in memory only, nor from whoever waits for them.
    private func checkpoint(_ pass: ChunkPass, of job: Job) async {
        while await !pass.ends(within: configuration.checkpointInterval, clock: clock), !Task.isCancelled {
            let harvest = pass.harvest()
            if harvest.count > 0 { _ = await settle(harvest, of: job, isLast: false) }
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
                    "a token of a registration that named no environment belongs to \(environment); remembered",
                    metadata: metadata("BadDeviceToken"))
            }
        case .rejected(let rejection): logger.info("rejected", metadata: metadata(rejection.reason))
        case .failed(let failure): logger.notice("failed, to be sent again", metadata: metadata(failure.reason))
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
