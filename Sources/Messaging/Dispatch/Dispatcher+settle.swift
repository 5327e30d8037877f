internal import DocumentStore
internal import Logging
internal import ServiceLifecycle

/// What follows from outcomes: registrations removed, the chunk rewritten, and those who wait told.
extension Dispatcher {
    /// How long to wait before a commit that failed (a full disk, say) is tried again.
    private static let commitRetryDelay = Duration.seconds(1)

    /// - Parameter isLast: whether the attempt is over; what is still pending is then due after a delay.
    /// - Returns: when the chunk is due again; nil when it is settled.
    func settle(_ harvest: ChunkPass.Harvest, of job: Job, isLast: Bool) async -> Timestamp? {
        var chunk = harvest.chunk
        if isLast, !chunk.isSettled { reschedule(&chunk, harvest, of: job) }
        await settle(chunk, harvest, of: job, isLast: isLast)
        return chunk.isSettled ? nil : chunk.dueAt
    }

    private func settle(_ chunk: Chunk, _ harvest: ChunkPass.Harvest, of job: Job, isLast: Bool) async {
        guard let pruned = await store(chunk, harvest, job.message) else { return }
        metrics.record(harvest, lane: chunk.lane, isLast: isLast)
        job.delivery?.update { progress in
            progress.sent += harvest.sent
            progress.rejections.merge(harvest.rejections, uniquingKeysWith: +)
            progress.lastRejection = harvest.lastRejection ?? progress.lastRejection
            progress.pruned += pruned
            progress.failures[chunk.id.number] = harvest.failures
        }
        guard isLast else { return }
        guard chunk.isSettled else {
            job.delivery?.chunkPostponed(
                chunk.id.number, until: harvest.laneFailure == nil ? chunk.dueAt : nil)
            return
        }
        metrics.recordSettled(after: now() - job.message.acceptedAt, source: job.message.source)
        job.delivery?.chunkSettled(chunk.id.number)
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

    /// Stores the outcomes, trying until it succeeds: what a push service has answered must not be forgotten because
    /// the disk is full for a while.
    ///
    /// - Returns: how many registrations were removed; nil when the gateway stops before it succeeds, and sends again
    ///   what was not stored when it starts.
    private func store(_ chunk: Chunk, _ harvest: ChunkPass.Harvest, _ message: AcceptedMessage) async -> Int? {
        var pruned = 0
        var dead = removable(harvest, lane: chunk.lane)
        while true {
            do {
                pruned += try await registrations.remove(dead, message.registrationFields)
                dead = []
                try await registrations.remember(harvest.foundTargets, message.registrationFields)
                let fields = chunk.isSettled ? chunk.settledFields(at: now(), of: message) : chunk.pendingFields
                _ = try await store.commit([.set(try OutboxDocuments.chunkPath(chunk.id), fields)])
                return pruned
            } catch {
                // The store itself reports that the disk is full, for all chunks at once.
                logger.log(
                    level: error.code == .resourceExhausted ? .debug : .error,
                    "could not store what became of a chunk; trying again",
                    metadata: ["chunk": "\(chunk.id)", "error": "\(error)"])
            }
            guard !Task.isShuttingDownGracefully, (try? await clock.sleep(for: Self.commitRetryDelay)) != nil else {
                return nil
            }
        }
    }
}
