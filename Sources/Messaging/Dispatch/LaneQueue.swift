import DequeModule
import DocumentStore

/// The chunks of one lane in memory, and the limits on sending them.
struct LaneQueue {
    private(set) var waiting: Deque<ChunkJob> = []
    private(set) var targetsWaiting = 0
    private var targetsUnderWay = 0
    /// The chunks that must not be read from disk now; see ``DispatchState``.
    private(set) var known: Set<ChunkID> = []
    /// `true` if due chunks may be on disk that are not in memory.
    var hasBacklog = false
    /// The time at which the first chunk that is only on disk is due; the distant past until the disk was read.
    var nextDue = Timestamp.distantPast
    /// The time up to which every due chunk on disk is known. Reads begin there.
    var readThrough = Timestamp.distantPast
    /// The pause, while every notification of the lane fails.
    private(set) var pause: LanePause?
    let semaphore: LaneSemaphore
    private let maximumTargetsUnderWay: Int

    init(window: Int) {
        semaphore = LaneSemaphore(window: window)
        maximumTargetsUnderWay = 2 * window
    }

    private var isEmpty: Bool { known.isEmpty && !hasBacklog }

    /// `true` if the queue can be forgotten. A pause has to stay: otherwise it would start from its shortest length.
    var isIdle: Bool { isEmpty && pause == nil }

    /// Returns `true` if the queue holds only a pause that ended before a time.
    func isOnlyPaused(sinceBefore time: Timestamp) -> Bool { isEmpty && pause.map { $0.until < time } ?? false }

    mutating func learn(_ id: ChunkID) { known.insert(id) }

    /// Forgets a chunk that is, or may be, only on disk from now on.
    mutating func forget(_ id: ChunkID, dueAt: Timestamp) {
        known.remove(id)
        leave(dueAt: dueAt)
    }

    mutating func leave(dueAt: Timestamp) {
        readThrough = min(readThrough, max(dueAt.adding(.microseconds(-1)), .distantPast))
    }

    mutating func append(_ job: ChunkJob) {
        known.insert(job.chunk.id)
        waiting.append(job)
        targetsWaiting += job.chunk.entries.count
    }

    /// Returns the first job if there is capacity. While the lane is paused there is none; afterwards one job at a
    /// time.
    mutating func next(at now: Timestamp) -> ChunkJob? {
        guard mayStart(at: now), var job = waiting.popFirst() else { return nil }
        job.isProbe = pause != nil
        targetsWaiting -= job.chunk.entries.count
        targetsUnderWay += job.chunk.entries.count
        return job
    }

    private func mayStart(at now: Timestamp) -> Bool {
        guard let pause else { return targetsUnderWay < maximumTargetsUnderWay }
        return pause.until <= now && targetsUnderWay == 0
    }

    /// Ends a job.
    ///
    /// - Parameter dueAt: the time of the next attempt at the chunk; `nil` if it is settled.
    mutating func finish(_ job: ChunkJob, dueAt: Timestamp?) {
        known.remove(job.chunk.id)
        if let dueAt {
            leave(dueAt: dueAt)
            nextDue = min(nextDue, dueAt)
        }
        targetsUnderWay -= job.chunk.entries.count
    }

    /// Pauses the lane. Jobs that were in flight when the pause began report the same failure and do not extend it.
    ///
    /// - Returns: `true` if a pause begins, or begins again after a probe.
    mutating func failed(_ job: ChunkJob, _ failure: LaneFailure, at now: Timestamp, retryAfter: Duration?) -> Bool {
        guard pause == nil || job.isProbe else { return false }
        pause = pause ?? LanePause()
        pause?.failed(failure, at: now, retryAfter: retryAfter)
        return true
    }

    /// Ends the pause.
    ///
    /// - Returns: `true` if the lane was paused.
    mutating func resume() -> Bool {
        defer { pause = nil }
        return pause != nil
    }
}

/// A chunk during its processing by the dispatcher.
struct ChunkJob: Sendable {
    let chunk: Chunk
    let message: AcceptedMessage
    /// The delivery that callers await, if any.
    let delivery: Delivery?
    /// `true` if the job probes a paused lane: its first notification is sent alone.
    var isProbe = false
    /// The number of ``DispatchState``'s last advance when the job started.
    var advance = 0

    init(chunk: Chunk, message: AcceptedMessage, delivery: Delivery?) {
        self.chunk = chunk
        self.message = message
        self.delivery = delivery
    }
}
