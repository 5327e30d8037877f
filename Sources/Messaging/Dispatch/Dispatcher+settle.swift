internal import DocumentStore
internal import Logging
internal import ServiceLifecycle

/// The consequences of outcomes: registrations removed, the chunk rewritten, and waiting requests told.
///
/// Those who wait are told at once, and the commit that records it follows: when the process ends in between, the targets
/// are sent to again, with the ids they had. Where registrations have to go they are told after that, as they want to know
/// how many.
extension Dispatcher {
    /// How long to wait before a commit that failed (a full disk, say) is tried again.
    private static let commitRetryDelay = Duration.seconds(1)

    /// - Parameter isLast: whether the attempt is over; what is still pending is then due after a delay.
    func settle(_ harvest: ChunkPass.Harvest, of pass: ChunkPass, isLast: Bool) {
        var lot = Lot(chunk: harvest.chunk, harvest: harvest, dead: removable(harvest, of: pass.job), isLast: isLast)
        if isLast, !lot.chunk.isSettled { reschedule(&lot.chunk, harvest, of: pass.job) }
        let settled = lot
        guard settled.dead.isEmpty, harvest.foundTargets.isEmpty else {
            return tasks.add { await self.settleWithRegistrations(settled, of: pass) }
        }
        tell(settled, pruned: 0, of: pass.job)
        commit(settled.chunk, of: pass.job.message) { [self] error in
            if let error {
                report(error, settled.chunk.id)
                tasks.add { await self.settleLater(settled, of: pass) }
            } else {
                stored(settled, of: pass)
            }
        }
    }

    /// The outcomes of an attempt, or of a part of it.
    private struct Lot: Sendable {
        /// As it is to be stored.
        var chunk: Chunk
        let harvest: ChunkPass.Harvest
        /// The targets whose registrations are to go.
        let dead: [(target: Target, death: TokenDeath)]
        let isLast: Bool
    }

    private func settleWithRegistrations(_ lot: Lot, of pass: ChunkPass) async {
        var pruned = 0
        var dead = lot.dead
        let fields = pass.job.message.registrationFields
        let isStored = await untilStored(lot.chunk, of: pass.job.message) { () async throws(StoreError) in
            pruned += try await self.registrations.remove(dead, fields)
            dead = []
            try await self.registrations.remember(lot.harvest.foundTargets, fields)
        }
        if isStored { tell(lot, pruned: pruned, of: pass.job) }
        stored(lot, of: pass)
    }

    private func settleLater(_ lot: Lot, of pass: ChunkPass) async {
        if await pauseBeforeRetry() { _ = await untilStored(lot.chunk, of: pass.job.message) {} }
        stored(lot, of: pass)
    }

    // MARK: Telling

    private func tell(_ lot: Lot, pruned: Int, of job: Job) {
        let (chunk, harvest) = (lot.chunk, lot.harvest)
        metrics.record(harvest, lane: chunk.lane, isLast: lot.isLast)
        if lot.isLast, chunk.isSettled {
            metrics.recordSettled(after: now() - job.message.acceptedAt, source: job.message.source)
        }
        guard let delivery = job.delivery else { return }
        delivery.update { progress in
            progress.sent += harvest.sent
            progress.rejections.merge(harvest.rejections, uniquingKeysWith: +)
            progress.lastRejection = harvest.lastRejection ?? progress.lastRejection
            progress.pruned += pruned
            if !harvest.failures.isEmpty || progress.failures[chunk.id.number] != nil {
                progress.failures[chunk.id.number] = harvest.failures
            }
        }
        guard lot.isLast else { return }
        if chunk.isSettled {
            delivery.chunkSettled(chunk.id.number)
        } else {
            delivery.chunkPostponed(chunk.id.number, until: harvest.laneFailure == nil ? chunk.dueAt : nil)
        }
    }

    /// Due after a delay, or when the message expires: then what is pending is given up, and its tokens forgotten. A
    /// failure of the whole lane is no attempt at the chunk; it is due when the lane's pause ends.
    private func reschedule(_ chunk: inout Chunk, _ harvest: ChunkPass.Harvest, of job: Job) {
        if let failure = harvest.laneFailure {
            chunk.dueAt = pause(job, because: failure)
        } else {
            chunk.attempts += 1
            let delay = configuration.retryPolicy.delay(afterAttempts: chunk.attempts, jitter: jitter())
            chunk.dueAt = chunk.nextTry(notBefore: now().adding(delay))
        }
        chunk.dueAt = min(chunk.dueAt, job.message.expiresAt)
    }

    // MARK: Storing

    /// Goes on after a lot was stored, or the gateway has to stop before it could be: then the targets are sent to again
    /// when it starts.
    private func stored(_ lot: Lot, of pass: ChunkPass) {
        if lot.isLast {
            finish(pass.job, dueAt: lot.chunk.isSettled ? nil : lot.chunk.dueAt)
        } else if let harvest = pass.stored() {
            settleLast(harvest, of: pass)
        }
    }

    private func commit(
        _ chunk: Chunk, of message: AcceptedMessage, completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        do throws(StoreError) {
            store.commit([try write(of: chunk, message)]) { result in
                if case .failure(let error) = result { completion(error) } else { completion(nil) }
            }
        } catch {
            completion(error)
        }
    }

    /// Stores a chunk, trying until it succeeds: what a push service has answered must not be forgotten because the disk is
    /// full for a while.
    ///
    /// - Parameter first: what is to succeed before.
    /// - Returns: `false` when the gateway stops before it succeeds.
    private func untilStored(
        _ chunk: Chunk, of message: AcceptedMessage, after first: () async throws(StoreError) -> Void
    ) async -> Bool {
        while true {
            do throws(StoreError) {
                try await first()
                _ = try await store.commit([try write(of: chunk, message)])
                return true
            } catch {
                report(error, chunk.id)
            }
            guard await pauseBeforeRetry() else { return false }
        }
    }

    /// - Returns: whether to try again; not when the gateway stops.
    private func pauseBeforeRetry() async -> Bool {
        guard !Task.isShuttingDownGracefully else { return false }
        return (try? await clock.sleep(for: Self.commitRetryDelay)) != nil
    }

    private func write(of chunk: Chunk, _ message: AcceptedMessage) throws(StoreError) -> Write {
        let fields = chunk.isSettled ? chunk.settledFields(at: now(), of: message) : chunk.pendingFields(of: message)
        return .set(try chunk.path, fields)
    }

    private func report(_ error: StoreError, _ chunk: ChunkID) {
        // The store itself reports that the disk is full, for all chunks at once.
        logger.log(
            level: error.code == .resourceExhausted ? .debug : .error,
            "could not store what became of a chunk; trying again",
            metadata: ["chunk": "\(chunk)", "error": "\(error)"])
    }
}
