package import DocumentStore
package import Logging
import Metrics
import ServiceLifecycle

/// A service that runs the scheduled jobs of all modules.
///
/// The time of a job's last run is stored in the document `schedules/{name}`. So a gateway that restarts every hour
/// still cleans up once a day. A failed job is logged and retried after a tenth of its interval.
package struct JobScheduler: Service {
    private let jobs: [ScheduledJob]
    private let store: any DocumentStore
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let logger: Logger

    /// - Parameter now: The current time; tests pass their own.
    package init(
        jobs: [ScheduledJob], store: any DocumentStore, clock: any Clock<Duration> = .continuous,
        now: @escaping @Sendable () -> Timestamp = { .now }, logger: Logger
    ) {
        self.jobs = jobs
        self.store = store
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for job in jobs { group.addTask { await self.repeatedly(job) } }
            }
        }
        try? await gracefulShutdown()
    }

    private func repeatedly(_ job: ScheduledJob) async {
        while !Task.isCancelled {
            var pause = job.interval / 10
            do {
                pause = try await runIfDue(job)
            } catch {
                // A job that shutdown interrupts is due again at the next start.
                guard !Task.isCancelled else { return }
                Counter(label: "pushgate_job_failures_total", dimensions: [("job", job.name)]).increment()
                logger.error("failed to run a scheduled job", metadata: ["job": "\(job.name)", "error": "\(error)"])
            }
            try? await clock.sleep(for: pause)
        }
    }

    /// - Returns: The time until the job is due again.
    private func runIfDue(_ job: ScheduledJob) async throws -> Duration {
        let path = try CollectionPath("schedules").document(job.name)
        if let lastRun = try await store.document(at: path)?["lastRunAt"]?.timestamp {
            // A clock that was set back must not delay a job for longer than its interval.
            let elapsed = max(now() - lastRun, .zero)
            if elapsed < job.interval { return job.interval - elapsed }
        }
        let start = now()
        try await job.run()
        _ = try await store.commit([.set(path, ["lastRunAt": .timestamp(start)])])
        logger.info("ran a scheduled job", metadata: ["job": "\(job.name)", "duration": "\(now() - start)"])
        return job.interval
    }
}

extension DocumentStore {
    /// The number of writes after which a commit of a clean-up ends. Commits of other callers wait for it, and those of
    /// tens of thousands of writes are refused.
    private var writesOfCleanUp: Int { 500 }

    /// Deletes documents older than the cutoff in small commits, so that other writes hardly wait. A document that
    /// changes after it was read is checked again and stays if it is no longer old.
    ///
    /// - Parameters:
    ///   - collection: A query without filters and orders; a collection group that can be large needs an index on the
    ///     field.
    ///   - field: The timestamp to compare; a document without it stays.
    ///   - batch: The maximum number of documents in one commit.
    ///   - fields: The fields that `others` reads.
    ///   - others: Returns the writes that belong into the commit that deletes a document. If it throws
    ///     `FAILED_PRECONDITION`, the document is read again.
    /// - Returns: The number of deleted documents.
    @discardableResult
    func deleteDocuments(
        in collection: Query, whose field: String, isBefore cutoff: Timestamp, batch: Int = 500,
        reading fields: [String] = [], alongside others: (Document) async throws(StoreError) -> [Write] = { _ in [] }
    ) async throws(StoreError) -> Int {
        var query = collection.where(FieldPath(field), .lessThan, .timestamp(cutoff)).limited(to: batch)
        query.projection = ([field] + fields).map { FieldPath($0) }
        var deleted = 0
        while true {
            let stale = try await documents(matching: query)
            var count = 0
            do throws(StoreError) {
                var writes: [Write] = []
                for document in stale where writes.count < writesOfCleanUp {
                    writes.append(.delete(document.path, precondition: .updateTime(document.updateTime)))
                    writes += try await others(document)
                    count += 1
                }
                _ = try await commit(writes)
            } catch {
                guard error.code == .failedPrecondition else { throw error }
                continue
            }
            deleted += count
            if count < batch, count == stale.count { return deleted }
        }
    }
}
