public import DocumentStore
public import Logging
internal import Metrics
public import ServiceLifecycle

/// Runs the modules' scheduled jobs.
///
/// When a job last ran is a document, `schedules/{name}`, so that a gateway restarted every hour still cleans up once a
/// day. A job that fails is logged and tried again after a tenth of its interval.
public struct JobScheduler: Service {
    private let jobs: [ScheduledJob]
    private let store: any DocumentStore
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let logger: Logger

    public init(
        jobs: [ScheduledJob], store: any DocumentStore, clock: any Clock<Duration> = .continuous,
        now: @escaping @Sendable () -> Timestamp = { .now }, logger: Logger
    ) {
        self.jobs = jobs
        self.store = store
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    public func run() async throws {
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
                // A job that shutdown cut short is due again at the next start.
                guard !Task.isCancelled else { return }
                Counter(label: "pushgate_job_failures_total", dimensions: [("job", job.name)]).increment()
                logger.error("scheduled job failed", metadata: ["job": "\(job.name)", "error": "\(error)"])
            }
            try? await clock.sleep(for: pause)
        }
    }

    /// - Returns: how long to wait before the job is due again.
    private func runIfDue(_ job: ScheduledJob) async throws -> Duration {
        let path = try CollectionPath("schedules").document(job.name)
        if let lastRun = try await store.document(at: path)?["lastRunAt"]?.timestamp {
            // A clock that was set back must not put a job off for longer than its interval.
            let elapsed = max(now() - lastRun, .zero)
            if elapsed < job.interval { return job.interval - elapsed }
        }
        let start = now()
        try await job.run()
        _ = try await store.commit([.set(path, ["lastRunAt": .timestamp(start)])])
        logger.info("scheduled job done", metadata: ["job": "\(job.name)", "duration": "\(now() - start)"])
        return job.interval
    }
}
