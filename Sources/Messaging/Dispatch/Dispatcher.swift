public import DocumentStore
public import Logging
public import ServiceLifecycle
import Synchronization

/// Sends what the outbox has accepted, and keeps at it until each target is settled.
///
/// It is told of new chunks as they are committed, and reads from disk what it was not told of: what an earlier process
/// left, what is due to be tried again, and what found memory full. Each chunk it takes up is attempted once, its
/// outcomes are committed, and what failed is written back to be due later.
public final class Dispatcher: Service {
    public struct Configuration: Sendable {
        public var retryPolicy = RetryPolicy()
        /// How many targets may wait in memory; each lane that has any has an equal share of it.
        public var capacity = 20_000
        /// How often the disk is asked for chunks that are due.
        public var pollInterval = Duration.seconds(1)
        /// How long a chunk's outcomes may stay in memory while its slowest target is waited for.
        public var checkpointInterval = Duration.seconds(1)

        public init() {}
    }

    let store: any DocumentStore
    let transports: TransportTable
    let configuration: Configuration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp
    let jitter: @Sendable () -> Double
    let logger: Logger
    let registrations: Registrations
    let metrics = DispatchMetrics()

    let state: Mutex<DispatchState>
    let guards = Mutex(RemovalGuards())
    let roomOnDisk = Bell()
    let tasks = TaskPool()
    let deadlines: Deadlines
    private let run = Mutex(DispatcherRun())

    public init(
        store: any DocumentStore, transports: TransportTable, configuration: Configuration = Configuration(),
        clock: any Clock<Duration> = .continuous, now: @escaping @Sendable () -> Timestamp = { .now },
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, logger: Logger
    ) {
        self.store = store
        self.transports = transports
        self.configuration = configuration
        self.clock = clock
        self.now = now
        self.jitter = jitter
        self.logger = logger
        registrations = Registrations(store: store, now: now)
        deadlines = Deadlines(clock: clock)
        state = Mutex(
            DispatchState(capacity: configuration.capacity) { transports.transport(for: $0).window })
    }

    /// Sends until graceful shutdown, then ends what is under way and leaves the rest, which is on disk.
    public func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await cancelWhenGracefulShutdown { await self.readWhatIsDue() } }
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

    // MARK: What comes in

    /// Makes a job's message ready if it is for a single target: where that is started there is no time.
    func prepareEarly(_ jobs: [Job]) -> EarlyMessage? {
        guard jobs.count == 1, let job = jobs.first, job.chunk.entries.count == 1 else { return nil }
        return EarlyMessage(chunk: job.chunk.id, message: prepare(job))
    }

    /// To be called before the chunks are committed; see ``DispatchState``.
    func reserve(_ chunks: [Chunk]) {
        state.withLock { state in chunks.forEach { state.reserve($0.id, in: $0.lane) } }
    }

    /// To be called when the commit of reserved chunks failed.
    func forget(_ chunks: [Chunk]) {
        state.withLock { state in chunks.forEach { state.forget($0.id, in: $0.lane, dueAt: $0.dueAt) } }
    }

    /// Takes up jobs, and starts here as many as these are; more that may start are left to a task.
    ///
    /// - Parameter early: one of their messages. It is used if its job starts now: one that waits is made ready when it starts,
    ///   with the keys of then.
    func enqueue(_ jobs: [Job], _ early: EarlyMessage? = nil) {
        let time = now()
        let hasMore = state.withLock { state in
            let hasMore = state.targetsWaiting > 0
            for job in jobs {
                state.enqueue(job)
                guard state.isHeldUp(job.chunk.lane, at: time) else { continue }
                job.delivery?.chunkPostponed(job.chunk.id.number, until: nil)
            }
            return hasMore
        }
        startWhatCan(atMost: jobs.count, early)
        if hasMore { wakeUp() }
    }

    /// Has the jobs started that may start now, by a task: whoever frees room for them mostly has other things to do.
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
            guard let (job, semaphore) = state.withLock({ $0.next(at: now()) }) else { return ended() }
            start(job, within: semaphore, early?.chunk == job.chunk.id ? early?.message : nil)
            left -= 1
        }
    }

    /// Ends a job, and starts what waited for its place.
    ///
    /// - Parameter dueAt: when the chunk is to be attempted again; nil when it is settled.
    func finish(_ job: Job, dueAt: Timestamp?) {
        let (wantsMore, hasWaiting) = state.withLock { state in
            state.finish(job, dueAt: dueAt)
            return (state.wantsMore, state.targetsWaiting > 0)
        }
        if hasWaiting { wakeUp() }
        if wantsMore { roomOnDisk.ring() }
        ended()
    }

    private func ended() {
        if run.withLock({ $0.end() }) { tasks.finish() }
    }
}

/// A message that was made ready before its job could start.
struct EarlyMessage: Sendable {
    let chunk: ChunkID
    let message: any PreparedMessage
}
