import DequeModule
import DocumentStore

/// The chunks of one lane in memory, and the limits on sending them.
///
/// They start in the order of the lane's queue on disk. So a new chunk waits on disk while older ones do, and all of
/// them go back there when the lane is paused.
struct LaneQueue {
    private(set) var waiting: Deque<ChunkJob> = []
    /// The new chunks of the time in which the queue on disk is read: older ones may be found there.
    private var arrivals: Deque<ChunkJob> = []
    private var isBeingRead = false
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

    /// Creates a queue.
    ///
    /// - Parameter isKnown: `false` if the queue on disk has to be read first, since older chunks may be there.
    init(window: Int, isKnown: Bool) {
        semaphore = LaneSemaphore(window: window)
        maximumTargetsUnderWay = 2 * window
        hasBacklog = !isKnown
        isBeingRead = !isKnown
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

    /// Returns `true` if older chunks than a new one may be on disk only.
    func hasOlderOnDisk(at now: Timestamp) -> Bool { isHeldUp(at: now) || hasBacklog && !isBeingRead }

    /// Returns `true` if the lane is paused at a time.
    func isHeldUp(at time: Timestamp) -> Bool { pause.map { $0.until > time } ?? false }

    /// `true` if new chunks wait until the queue on disk has been read.
    var hasArrivals: Bool { !arrivals.isEmpty }

    /// Adds a job.
    ///
    /// - Returns: `true` if it may start; `false` if it waits until the queue on disk has been read.
    mutating func append(_ job: ChunkJob, isNew: Bool) -> Bool {
        let mayStart = !isNew || !isBeingRead
        known.insert(job.chunk.id)
        if mayStart { waiting.append(job) } else { arrivals.append(job) }
        targetsWaiting += job.chunk.entries.count
        return mayStart
    }

    /// Begins to read the queue on disk up to a time. Chunks that are left to the disk from now on are noted.
    mutating func beginReading(through time: Timestamp) {
        nextDue = .distantFuture
        hasBacklog = false
        readThrough = time
        isBeingRead = true
    }

    /// Ends the reading, after which the new chunks of that time may start behind those that were read, or are left to
    /// the disk as well.
    ///
    /// - Parameter marks: returns the positions of a chunk's targets that newer messages have replaced in that time.
    /// - Returns: the new chunks, and `true` if they may start.
    mutating func endReading(
        at now: Timestamp, marks: (ChunkID) -> Set<Int>
    ) -> (arrivals: Deque<ChunkJob>, mayStart: Bool) {
        isBeingRead = false
        defer { arrivals = [] }
        guard !hasOlderOnDisk(at: now) else { return (leaveToDisk(arrivals), false) }
        let arrived = Deque(arrivals.map { $0.arrived(marks($0.chunk.id)) })
        waiting += arrived
        return (arrived, true)
    }

    /// Leaves all jobs that have not started to the disk.
    mutating func leaveAllToDisk() -> Deque<ChunkJob> {
        defer { (waiting, arrivals) = ([], []) }
        return leaveToDisk(waiting + arrivals)
    }

    private mutating func leaveToDisk(_ jobs: Deque<ChunkJob>) -> Deque<ChunkJob> {
        for job in jobs {
            targetsWaiting -= job.chunk.entries.count
            forget(job.chunk.id, dueAt: job.chunk.dueAt)
            hasBacklog = true
        }
        return jobs
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
    mutating func finish(_ job: ChunkJob, dueAt: Timestamp?, at now: Timestamp) {
        known.remove(job.chunk.id)
        if let dueAt {
            leave(dueAt: dueAt)
            nextDue = min(nextDue, dueAt)
            hasBacklog = hasBacklog || dueAt <= now
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
