package import DocumentStore
package import Logging
import ServiceLifecycle
import Synchronization

/// A service that sends accepted messages until each target is settled.
///
/// It receives new chunks as they are committed. A ``QueueReader`` reads all other chunks from disk: those of an
/// earlier process, those due for a retry, and those that found memory full. A ``ChunkAttempt`` sends to each chunk
/// once, and a ``ChunkSettler`` commits the outcomes, and writes the failed targets back to be due later.
package final class Dispatcher: Service {
    /// The settings of a dispatcher.
    package struct Configuration: Sendable {
        /// The delays between attempts.
        package var retryPolicy = RetryPolicy()
        /// The maximum number of targets that wait in memory. Each lane with waiting targets has an equal share.
        package var capacity = 20_000
        /// The interval at which due chunks are read from disk.
        package var pollInterval = Duration.seconds(1)
        /// The maximum time that a chunk's outcomes stay in memory only, while its slowest target is in flight. With
        /// the time of a commit it is less than a second, after which no notification is sent again.
        package var checkpointInterval = Duration.milliseconds(500)

        package init() {}
    }

    private let context: DispatchContext
    private let settler: ChunkSettler
    private let run = Mutex(DispatcherRun())

    /// Creates a dispatcher.
    ///
    /// - Parameters:
    ///   - membership: the place among the gateways that share the documents; `nil` if there is only one.
    ///   - events: records events for programs of the operator.
    ///   - receipts: the address to which apps report what arrives; `nil` for none.
    ///   - clock: measures intervals and timeouts.
    ///   - now: the wall clock, for times in documents.
    ///   - jitter: evenly distributed in 0..<1.
    package init(
        store: any DocumentStore, transports: TransportTable, configuration: Configuration = Configuration(),
        membership: (any Membership)? = nil, events: (any DeliveryEventRecorder)? = nil,
        receipts: ReceiptAddress? = nil, clock: any Clock<Duration> = .continuous,
        now: @escaping @Sendable () -> Timestamp = { .now },
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, logger: Logger
    ) {
        context = DispatchContext(
            store: store, transports: transports, configuration: configuration, membership: membership, events: events,
            receipts: receipts, clock: clock, now: now, logger: logger)
        settler = ChunkSettler(context, jitter: jitter)
    }

    /// Sends until graceful shutdown, then finishes the jobs in flight and leaves the others on disk.
    package func run() async throws {
        await withGracefulShutdownHandler {
            await settler.begin()
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await cancelWhenGracefulShutdown { await QueueReader(self.context, for: self).run() }
                }
                group.addTask { await self.context.deadlines.run() }
                run.withLock { $0.begin() }
                startWhatCan()
                await context.tasks.run()
                stop()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.stop()
        }
    }

    private func stop() {
        if run.withLock({ $0.stop() }) { context.tasks.finish() }
    }

    // MARK: Parts

    /// The outcomes of the last hour, for people.
    package var recent: RecentOutcomes { context.recent }

    /// The chunks in memory.
    var lanes: Lanes { context.lanes }

    /// The documents with the queues.
    var store: any DocumentStore { context.store }

    /// The search for older messages that new ones replace.
    var superseding: Superseding { Superseding(context) }

    /// The queues on disk.
    var queue: QueueKey { context.queue }

    /// Returns the lane with the app and the environment that the configuration gives it.
    func resolved(_ lane: Lane) -> Lane { context.resolved(lane) }

    /// Returns `true` if messages that wait in a lane follow the registrations of their targets.
    func followsRegistrations(_ lane: Lane) -> Bool { context.followsRegistrations(lane) }

    /// The name of this gateway among those that share the documents; `nil` if it has them for itself.
    var owner: String? { context.membership?.name }

    /// The tasks that end with the dispatcher.
    var tasks: TaskPool { context.tasks }

    /// The period in which only this gateway has chunks in its queues; `nil` if others may have some.
    var periodAlone: CommitPeriod? { context.periodAlone }

    /// Notes the period in which no other gateway has chunks in its queues; `nil` if others may have some. Of this one,
    /// all that were put into its queues before were announced.
    func noteAlone(in period: CommitPeriod?) { context.noteAlone(in: period) }

    /// Returns the delivery of a message that is about to be accepted.
    func delivery(of messageID: String) -> Delivery { Delivery(messageID: messageID, deadlines: context.deadlines) }

    // MARK: New jobs

    /// Makes new chunks known before their commit, so that they are not read from the disk as well. After the commit,
    /// call ``enqueue(_:isNew:_:)``, or ``forget(_:)`` if it failed.
    ///
    /// - Returns: the prepared message, if there is one job with a single target.
    func reserve(_ jobs: [ChunkJob]) -> EarlyMessage? {
        let early = prepareEarly(jobs)
        lanes.reserve(jobs)
        return early
    }

    /// Prepares the message of a job with a single target before its commit, because the thread that starts the job
    /// must not be blocked.
    private func prepareEarly(_ jobs: [ChunkJob]) -> EarlyMessage? {
        guard jobs.count == 1, let job = jobs.first, job.chunk.entries.count == 1, job.message.badge == nil else {
            return nil
        }
        return EarlyMessage(chunk: job.chunk.id, message: context.prepare(job))
    }

    /// Forgets chunks that were not committed.
    func forget(_ jobs: [ChunkJob]) { lanes.forget(jobs) }

    /// Notes that chunks may be on disk, so that they are looked for, and newer messages replace them.
    func noteOnDisk(_ jobs: [ChunkJob]) {
        lanes.adopted(
            jobs.map { job in
                AdoptedChunk(lane: job.chunk.lane, dueAt: job.chunk.dueAt, collapseKey: job.chunk.collapseKey)
            })
    }

    /// Queues jobs, and starts up to as many on this thread. A task starts any further ones.
    ///
    /// - Parameters:
    ///   - isNew: `true` for chunks that have just been accepted, `false` for those that were read from disk.
    ///   - early: the prepared message of one job. It is used only if the job starts now: a job that waits is prepared
    ///     when it starts, with the keys of that time.
    func enqueue(_ jobs: [ChunkJob], isNew: Bool, _ early: EarlyMessage? = nil) {
        let hasMore = lanes.enqueue(jobs, isNew: isNew)
        startWhatCan(atMost: jobs.count, early)
        if hasMore { wakeUp() }
    }

    // MARK: Attempts

    /// Starts all jobs that may start, in a task: the caller has just freed capacity and usually has other work to
    /// do.
    func wakeUp() {
        guard run.withLock({ $0.wakeUp() }) else { return }
        context.tasks.add { [self] in
            run.withLock { $0.awake() }
            startWhatCan()
        }
    }

    private func startWhatCan(atMost count: Int = .max, _ early: EarlyMessage? = nil) {
        var left = count
        while left > 0, run.withLock({ $0.start() }) {
            let (next, unsent) = lanes.next()
            settle(unsent)
            guard let (job, semaphore) = next else { return ended() }
            start(job, early?.chunk == job.chunk.id ? early?.message : nil, within: semaphore)
            left -= 1
        }
    }

    /// Settles jobs with nothing to send, beside the attempts. A dispatcher that stops leaves them to the next process.
    private func settle(_ jobs: [ChunkJob]) {
        guard !jobs.isEmpty else { return }
        let jobs = jobs.filter { _ in run.withLock { $0.start() } }
        context.tasks.add { [self] in
            settler.settle(jobs) { settled in
                self.lanes.settled(settled)
                for _ in settled { self.ended() }
            }
        }
    }

    /// Starts an attempt.
    ///
    /// - Parameter message: the job's message, if it was prepared before.
    private func start(_ job: ChunkJob, _ message: (any PreparedMessage)?, within semaphore: LaneSemaphore) {
        job.delivery?.chunkStarted(job.chunk.id.number)
        guard job.chunk.entries.count > 1 || job.message.badge != nil else {
            return attempt(job, message, within: semaphore).send()
        }
        // Hundreds of requests are not made here, so that they do not block the thread that has just committed their
        // chunk.
        context.tasks.add { [self] in
            let attempt = attempt(await withBadge(job), message, within: semaphore)
            attempt.scheduleCheckpoint()
            attempt.sendMany()
        }
    }

    /// Returns a job whose message has the badge of this moment, if it counts something. The message keeps the badge of
    /// its acceptance if the counter cannot be read.
    private func withBadge(_ job: ChunkJob) async -> ChunkJob {
        guard let counter = job.message.badge else { return job }
        do {
            let document = try await context.store.document(at: counter.document)
            var job = job
            if let badge = document?[counter.field]?.integer { job.message = job.message.showing(badge: badge) }
            return job
        } catch {
            context.logger.warning("failed to read a badge", metadata: ["error": "\(error)"])
            return job
        }
    }

    private func attempt(
        _ job: ChunkJob, _ message: (any PreparedMessage)?, within semaphore: LaneSemaphore
    ) -> ChunkAttempt {
        let time = context.now()
        if job.message.expiresAt <= time { lanes.leave(job) }
        return ChunkAttempt(
            job, message ?? context.prepare(job), within: semaphore, at: time, context, settler, dispatcher: self)
    }

    /// Ends a job, and starts waiting ones.
    ///
    /// - Parameter dueAt: the time of the next attempt at the chunk; `nil` if it is settled.
    func finish(_ job: ChunkJob, dueAt: Timestamp?) {
        if lanes.finish(job, dueAt: dueAt) { wakeUp() }
        ended()
    }

    private func ended() {
        if run.withLock({ $0.end() }) { context.tasks.finish() }
    }

    // MARK: Pauses

    /// Resumes all paused lanes, after their cause was fixed.
    package func resumeAll() {
        lanes.resumeAll()
        wakeUp()
        lanes.refill()
    }

    /// The lanes that are paused now, with the ends of their pauses. A lane is named as in the log.
    package var pausedLanes: [(name: String, until: Timestamp)] {
        lanes.paused.map { ("\(context.resolved($0.lane))", $0.until) }
    }

    /// Resumes a paused lane.
    func resume(_ lane: Lane) {
        guard lanes.resume(lane) else { return }
        context.logger.notice(
            "resumed a lane; the push service accepts its notifications again",
            metadata: ["lane": "\(context.resolved(lane))"])
        wakeUp()
        lanes.refill()
    }
}

/// A message that was prepared before its job could start.
struct EarlyMessage: Sendable {
    let chunk: ChunkID
    let message: any PreparedMessage
}
