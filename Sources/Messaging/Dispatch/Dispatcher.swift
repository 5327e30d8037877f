package import DocumentStore
package import Logging
import ServiceLifecycle
import Signals
import Synchronization

/// A service that sends accepted messages until each target is settled.
///
/// It receives new chunks as they are committed. It reads all other chunks from disk: those of an earlier process,
/// those due for a retry, and those that found memory full. It attempts each chunk once, commits the outcomes, and
/// writes the failed targets back to be due later.
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

        /// Creates the default settings.
        package init() {}
    }

    let store: any DocumentStore
    let transports: TransportTable
    let configuration: Configuration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp
    let jitter: @Sendable () -> Double
    let logger: Logger
    let registrations: RegistrationPruner
    /// The place of this gateway among those that share the documents; `nil` if it has them for itself.
    let membership: (any Membership)?
    let queue: QueueKey
    let metrics = DispatchMetrics()
    /// The outcomes of the last hour, for people.
    package let recent = RecentOutcomes()

    let lanes: Lanes
    let guards = Mutex(RemovalGuards())
    let tasks = TaskPool()
    let deadlines: Deadlines
    private let run = Mutex(DispatcherRun())

    /// Creates a dispatcher.
    ///
    /// - Parameters:
    ///   - membership: the place among the gateways that share the documents; `nil` if there is only one.
    ///   - clock: measures intervals and timeouts.
    ///   - now: the wall clock, for times in documents.
    ///   - jitter: evenly distributed in 0..<1.
    package init(
        store: any DocumentStore, transports: TransportTable, configuration: Configuration = Configuration(),
        membership: (any Membership)? = nil, clock: any Clock<Duration> = .continuous,
        now: @escaping @Sendable () -> Timestamp = { .now },
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, logger: Logger
    ) {
        self.store = store
        self.transports = transports
        self.configuration = configuration
        self.membership = membership
        queue = QueueKey(owner: membership?.name)
        self.clock = clock
        self.now = now
        self.jitter = jitter
        self.logger = logger
        registrations = RegistrationPruner(store: store, now: now, logger: logger)
        deadlines = Deadlines(clock: clock)
        lanes = Lanes(
            capacity: configuration.capacity, window: { transports.transport(for: $0).window }, now: now)
    }

    /// Sends until graceful shutdown, then finishes the jobs in flight and leaves the others on disk.
    package func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await cancelWhenGracefulShutdown { await self.pollDueChunks() } }
                group.addTask { await self.deadlines.run() }
                run.withLock { $0.begin() }
                startWhatCan()
                await tasks.run()
                stop()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.stop()
        }
    }

    private func stop() {
        if run.withLock({ $0.stop() }) { tasks.finish() }
    }

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
        return EarlyMessage(chunk: job.chunk.id, message: prepare(job))
    }

    /// Forgets chunks that were not committed.
    func forget(_ jobs: [ChunkJob]) { lanes.forget(jobs) }

    /// Queues jobs, and starts up to as many on this thread. A task starts any further ones.
    ///
    /// - Parameters:
    ///   - isNew: `true` for chunks that have just been accepted, `false` for those that were read from disk.
    ///   - early: the prepared message of one job. It is used only if the job starts now: a job that waits is prepared
    ///     when it starts, with the keys of that time.
    func enqueue(_ jobs: [ChunkJob], isNew: Bool, _ early: EarlyMessage? = nil) {
        let (hasMore, needsRefill) = lanes.enqueue(jobs, isNew: isNew)
        startWhatCan(atMost: jobs.count, early)
        if hasMore { wakeUp() }
        if needsRefill { lanes.refill() }
    }

    /// Starts all jobs that may start, in a task: the caller has just freed capacity and usually has other work to
    /// do.
    func wakeUp() {
        guard run.withLock({ $0.wakeUp() }) else { return }
        tasks.add { [self] in
            run.withLock { $0.awake() }
            startWhatCan()
        }
    }

    private func startWhatCan(atMost count: Int = .max, _ early: EarlyMessage? = nil) {
        var left = count
        while left > 0, run.withLock({ $0.start() }) {
            guard let (job, semaphore) = lanes.next() else { return ended() }
            start(job, within: semaphore, early?.chunk == job.chunk.id ? early?.message : nil)
            left -= 1
        }
    }

    /// Ends a job, and starts waiting ones.
    ///
    /// - Parameter dueAt: the time of the next attempt at the chunk; `nil` if it is settled.
    func finish(_ job: ChunkJob, dueAt: Timestamp?) {
        let (hasMore, needsRefill) = lanes.finish(job, dueAt: dueAt)
        if hasMore { wakeUp() }
        if needsRefill { lanes.refill() }
        ended()
    }

    private func ended() {
        if run.withLock({ $0.end() }) { tasks.finish() }
    }
}

/// A chunk that was put into this gateway's queues on disk.
struct AdoptedChunk: Sendable {
    let lane: Lane
    let dueAt: Timestamp
    let collapseKey: CollapseKey?
}

/// A message that was prepared before its job could start.
struct EarlyMessage: Sendable {
    let chunk: ChunkID
    let message: any PreparedMessage
}

/// The life cycle of a dispatcher. Jobs start only between its beginning and its end; it is over when the jobs in
/// flight have ended.
struct DispatcherRun {
    private enum Phase {
        case notBegun, running, stopping
    }

    private var phase = Phase.notBegun
    private var underWay = 0
    /// `true` if a task is about to look for jobs to start.
    private var isWaking = false

    mutating func begin() {
        if phase == .notBegun { phase = .running }
    }

    /// Lets no more jobs start.
    ///
    /// - Returns: `true` if no job is in flight.
    mutating func stop() -> Bool {
        phase = .stopping
        return underWay == 0
    }

    /// Counts one more job in flight. Returns `false` if no job may start now.
    mutating func start() -> Bool {
        guard phase == .running else { return false }
        underWay += 1
        return true
    }

    /// Counts one job less.
    ///
    /// - Returns: `true` if this was the last job after the stop.
    mutating func end() -> Bool {
        underWay -= 1
        return phase == .stopping && underWay == 0
    }

    /// Requests a task that looks for jobs.
    ///
    /// - Returns: `true` if no such task was requested before.
    mutating func wakeUp() -> Bool {
        guard phase == .running, !isWaking else { return false }
        isWaking = true
        return true
    }

    mutating func awake() { isWaking = false }
}
