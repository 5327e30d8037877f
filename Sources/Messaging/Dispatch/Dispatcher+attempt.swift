internal import DocumentStore
internal import Logging

/// One attempt at a chunk, from its pending targets to the commit of what became of them.
extension Dispatcher {
    func attempt(_ job: Job, within semaphore: LaneSemaphore) async {
        let pass = ChunkPass(chunk: job.chunk)
        if job.message.expiresAt <= now() {
            expire(job, in: pass)
        } else {
            await send(job, in: pass, within: semaphore)
        }
        await settle(pass.harvest(), of: job, isLast: true)
        finish(job, isSettled: pass.isSettled)
    }

    private func expire(_ job: Job, in pass: ChunkPass) {
        let outcome = Outcome.rejected(Rejection(code: .serverUnavailable, reason: "Expired"))
        for (index, target) in job.chunk.pendingTargets { pass.record(outcome, for: target, at: index) }
    }

    private func send(_ job: Job, in pass: ChunkPass, within semaphore: LaneSemaphore) async {
        let prepared = transports.transport(for: job.chunk.lane).prepare(job.outgoingMessage)
        let targets = job.chunk.pendingTargets
        if let (index, target) = targets.first, targets.count == 1 {
            return await send(prepared, job.chunk.id, index, target, in: pass, within: semaphore)
        }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.checkpoint(pass, of: job) }
            await withDiscardingTaskGroup { sends in
                for (index, target) in targets {
                    await semaphore.acquire()
                    sends.addTask {
                        await self.send(prepared, job.chunk.id, index, target, in: pass)
                        semaphore.release()
                    }
                }
            }
            pass.end()
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
        pass.record(outcome, for: target, at: index)
    }

    /// Stores what has come in, again and again, until the pass ends: one slow target must not keep the outcomes of the
    /// others in memory only, nor from whoever waits for them.
    private func checkpoint(_ pass: ChunkPass, of job: Job) async {
        while await !pass.ends(within: configuration.checkpointInterval, clock: clock), !Task.isCancelled {
            let harvest = pass.harvest()
            if harvest.count > 0 { await settle(harvest, of: job, isLast: false) }
        }
    }

    private func log(_ outcome: Outcome, _ id: NotificationID, _ target: Target) {
        let metadata: @Sendable (String) -> Logger.Metadata = { reason in
            ["id": "\(id)", "token": "\(target.address.token)", "reason": "\(reason)"]
        }
        switch outcome {
        case .accepted: logger.trace("accepted", metadata: metadata("Success"))
        case .rejected(let rejection): logger.info("rejected", metadata: metadata(rejection.reason))
        case .failed(let failure): logger.notice("failed, to be sent again", metadata: metadata(failure.reason))
        }
    }
}

extension Chunk {
    var pendingTargets: [(index: Int, target: Target)] {
        entries.indices.compactMap { index in
            guard entries[index].state == .pending, let target = entries[index].target else { return nil }
            return (index, target)
        }
    }
}

extension Job {
    var outgoingMessage: OutgoingMessage {
        OutgoingMessage(
            message: message.message, lane: chunk.lane, expiration: message.expiresAt.microseconds / 1_000_000)
    }
}
