import DocumentStore
import Logging

/// The start of attempts.
extension Dispatcher {
    /// Starts an attempt.
    ///
    /// - Parameter message: the job's message, if it was prepared before.
    func start(_ job: ChunkJob, within semaphore: LaneSemaphore, _ message: (any PreparedMessage)? = nil) {
        job.delivery?.chunkStarted(job.chunk.id.number)
        guard job.chunk.entries.count > 1 || job.message.badge != nil else {
            return attempt(job, message, within: semaphore).send()
        }
        // A task makes hundreds of requests, so that they do not block the thread that has just committed their
        // chunk.
        tasks.add { [self] in
            let attempt = attempt(await withBadge(job), message, within: semaphore)
            attempt.scheduleCheckpoint()
            attempt.send()
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

    private func attempt(
        _ job: ChunkJob, _ message: (any PreparedMessage)?, within semaphore: LaneSemaphore
    ) -> ChunkAttempt {
        let time = now()
        let attempt = ChunkAttempt(job, message ?? prepare(job), within: semaphore, by: self, at: time)
        if job.message.expiresAt <= time { lanes.leave(job) }
        return attempt
    }

    /// Prepares the message of a job.
    func prepare(_ job: ChunkJob) -> any PreparedMessage {
        transports.transport(for: job.chunk.lane).prepare(job.outgoingMessage)
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
