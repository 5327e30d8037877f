import DequeModule
import DocumentStore

/// The chunks of one lane in memory, and the limits on sending them.
///
/// They start in the order of the lane's queue on disk. So a new chunk waits on disk while older ones do, and all of
/// them go back there when the lane is paused.
struct LaneQueue {
    /// The due chunks that may be on disk and not in memory.
    private enum Backlog {
        case none
        /// Only chunks that are newer than the arrivals.
        case newer
        /// Also others.
        case older
    }

    /// The reason for which a read of the queue on disk takes no more into memory.
    private enum Stop {
        /// The next chunk is newer than the arrivals, which are to start before it.
        case newer
        /// A chunk was refused because memory is full, or older ones are on disk.
        case refused
    }

    private(set) var waiting: Deque<ChunkJob> = []
    /// The new chunks of the time in which the queue on disk is read: older ones may be found there.
    private var arrivals: Deque<ChunkJob> = []
    private var isBeingRead = false
    private var stop: Stop?
    /// The number of targets that wait, with those of arrivals.
    private(set) var targetsWaiting = 0
    private(set) var targetsArriving = 0
    private(set) var targetsUnderWay = 0
    /// The number of targets that are settled without having been sent to.
    private(set) var targetsSettling = 0
    /// The chunks that must not be read from disk now; see ``DispatchState``.
    private(set) var known: Set<ChunkID> = []
    private var backlog: Backlog
    /// The time at which the first chunk that is only on disk is due; the distant past until the disk was read.
    var nextDue = Timestamp.distantPast
    /// The time up to which every due chunk on disk is known. Reads begin there.
    var readThrough = Timestamp.distantPast
    /// The pause, while every notification of the lane fails.
    private(set) var pause: LanePause?
    let semaphore: LaneSemaphore
    let window: Int
    private var maximumTargetsUnderWay: Int { 2 * window }
    /// The number of chunks for which an idle queue keeps memory.
    private static let mostKept = 64

    /// Creates a queue.
    ///
    /// - Parameter isKnown: `false` if the queue on disk has to be read first, since older chunks may be there.
    init(window: Int, isKnown: Bool) {
        semaphore = LaneSemaphore(window: window)
        self.window = window
        backlog = isKnown ? .none : .older
        isBeingRead = !isKnown
    }

    /// `true` if the memory of the queue is small enough to be kept while it is idle.
    var isSmall: Bool { known.capacity <= Self.mostKept }

    /// Returns an idle queue as a new one of its lane, with its memory.
    ///
    /// - Parameter isKnown: `false` if the queue on disk has to be read first.
    func startedOver(isKnown: Bool) -> LaneQueue {
        var queue = self
        queue.backlog = isKnown ? .none : .older
        (queue.isBeingRead, queue.stop) = (!isKnown, nil)
        (queue.nextDue, queue.readThrough) = (.distantPast, .distantPast)
        return queue
    }

    /// `true` if due chunks may be on disk that are not in memory.
    var hasBacklog: Bool { backlog != .none }

    private var isEmpty: Bool { known.isEmpty && !hasBacklog }

    /// `true` if the queue can be forgotten. A pause has to stay: otherwise it would start from its shortest length. So
    /// has a queue that is being read: new chunks wait for what is found there.
    var isIdle: Bool { isEmpty && pause == nil && !isBeingRead }

    /// Returns `true` if the queue holds only a pause that ended before a time.
    func isOnlyPaused(sinceBefore time: Timestamp) -> Bool { isEmpty && pause.map { $0.until < time } ?? false }

    mutating func learn(_ id: ChunkID) { known.insert(id) }

    /// Notes that a job is settled without an attempt.
    mutating func setAside(_ job: ChunkJob) {
        known.insert(job.chunk.id)
        targetsSettling += job.chunk.entries.count
    }

    /// Forgets a chunk that is, or may be, only on disk from now on.
    mutating func forget(_ id: ChunkID, dueAt: Timestamp) {
        known.remove(id)
        leave(dueAt: dueAt)
    }

    mutating func leave(dueAt: Timestamp) {
        readThrough = min(readThrough, max(dueAt.adding(.microseconds(-1)), .distantPast))
    }

    /// Notes that due chunks may be on disk that are not in memory.
    mutating func noteBacklog() { backlog = .older }

    /// `true` if the present read of the queue on disk takes no more into memory.
    var isReadStopped: Bool { stop != nil }

    /// Leaves a job that has just come to the disk.
    mutating func leave(_ job: ChunkJob, isNew: Bool, at now: Timestamp) {
        forget(job.chunk.id, dueAt: job.chunk.dueAt)
        if !isNew, stop == nil { stop = isNewerThanArrivals(job, at: now) ? .newer : .refused }
        noteLeft(isNewer: isNew ? isBeingRead : stop == .newer)
    }

    /// Notes that the present read has not come to the end of the queue.
    ///
    /// - Parameter time: the time at which the first chunk of the rest was due.
    mutating func leaveRest(dueAt time: Timestamp) {
        leave(dueAt: time)
        noteLeft(isNewer: stop == .newer)
    }

    private mutating func noteLeft(isNewer: Bool) {
        if !isNewer { backlog = .older } else if backlog == .none { backlog = .newer }
    }

    /// Returns `true` if a job from the disk was accepted after the first of the arrivals. It was left there while the
    /// queue is read. One that is due later counts as due since an advance: it is older, by whatever clock. A page of a
    /// large message is older than its arrival says, and comes before the further pages only.
    private func isNewerThanArrivals(_ job: ChunkJob, at now: Timestamp) -> Bool {
        let id = job.chunk.id
        guard job.chunk.dueAt <= now,
            let first = arrivals.first(where: { !$0.mayBeOvertaken || $0.chunk.id.message == id.message })?.chunk.id
        else { return false }
        // The ids of messages are in the order of their acceptance.
        return (id.message, id.number) > (first.message, first.number)
    }

    /// Returns `true` if a job has to wait on disk, behind older ones.
    func mustWaitOnDisk(_ job: ChunkJob, isNew: Bool, at now: Timestamp) -> Bool {
        guard isNew else { return backlog == .older || isReadStopped || isNewerThanArrivals(job, at: now) }
        return isHeldUp(at: now) || backlog == .newer || backlog == .older && !isBeingRead
    }

    /// Returns `true` if the lane is paused at a time.
    func isHeldUp(at time: Timestamp) -> Bool { pause.map { $0.until > time } ?? false }

    /// Returns the pause, unless it has ended and nothing is left, or about to be read, that waits for a sign that the
    /// service accepts notifications again.
    func unresolvedPause(at time: Timestamp) -> LanePause? {
        isHeldUp(at: time) || !isEmpty || isBeingRead ? pause : nil
    }

    /// `true` if new chunks wait until the queue on disk has been read.
    var hasArrivals: Bool { !arrivals.isEmpty }

    /// Adds a job.
    ///
    /// - Returns: `true` if it may start; `false` if it waits until the queue on disk has been read.
    mutating func append(_ job: ChunkJob, isNew: Bool) -> Bool {
        let mayStart = !isNew || !isBeingRead
        known.insert(job.chunk.id)
        targetsWaiting += job.chunk.entries.count
        if mayStart {
            waiting.append(job)
        } else {
            arrivals.append(job)
            targetsArriving += job.chunk.entries.count
        }
        return mayStart
    }

    /// Begins to read the queue on disk up to a time. Chunks that are left to the disk from now on are noted.
    mutating func beginReading(through time: Timestamp) {
        nextDue = .distantFuture
        backlog = .none
        readThrough = time
        isBeingRead = true
        stop = nil
    }

    /// Removes the new chunks of the time of a read that have nothing left to send.
    ///
    /// - Parameter marks: returns the positions of a chunk's targets that newer messages have replaced in that time.
    mutating func removeUnsentArrivals(at now: Timestamp, marks: (ChunkID) -> Set<Int>) -> [ChunkJob] {
        guard !arrivals.isEmpty else { return [] }
        var unsent: [ChunkJob] = []
        var rest: Deque<ChunkJob> = []
        for job in arrivals {
            let arrived = job.arrived(marks(job.chunk.id))
            if arrived.hasNothingToSend(at: now) { unsent.append(arrived) } else { rest.append(job) }
        }
        arrivals = rest
        let targets = unsent.reduce(0) { $0 + $1.chunk.entries.count }
        targetsWaiting -= targets
        targetsArriving -= targets
        return unsent
    }

    /// Ends the reading, after which the new chunks of that time may start behind those that were read, or are left to
    /// the disk as well.
    ///
    /// - Parameters:
    ///   - hasRoom: `false` if memory does not hold them beside the chunks that were read.
    ///   - marks: returns the positions of a chunk's targets that newer messages have replaced in that time.
    /// - Returns: the new chunks, and `true` if they may start.
    mutating func endReading(
        at now: Timestamp, hasRoom: Bool, marks: (ChunkID) -> Set<Int>
    ) -> (arrivals: Deque<ChunkJob>, mayStart: Bool) {
        isBeingRead = false
        stop = nil
        defer { (arrivals, targetsArriving) = ([], 0) }
        let hasProbe = pause != nil && (!waiting.isEmpty || targetsUnderWay > 0)
        guard !isHeldUp(at: now), backlog != .older, !hasProbe, hasRoom || waiting.isEmpty else {
            return (leaveToDisk(arrivals), false)
        }
        let arrived = Deque(arrivals.map { $0.arrived(marks($0.chunk.id)) })
        waiting += arrived
        return (arrived, true)
    }

    /// Leaves all jobs that have not started to the disk.
    mutating func leaveAllToDisk() -> Deque<ChunkJob> {
        defer { (waiting, arrivals, targetsArriving) = ([], [], 0) }
        return leaveToDisk(waiting + arrivals)
    }

    private mutating func leaveToDisk(_ jobs: Deque<ChunkJob>) -> Deque<ChunkJob> {
        for job in jobs {
            targetsWaiting -= job.chunk.entries.count
            forget(job.chunk.id, dueAt: job.chunk.dueAt)
            backlog = .older
        }
        return jobs
    }

    /// Returns the first job if there is capacity. While the lane is paused there is none; afterwards one job at a
    /// time.
    ///
    /// - Parameters:
    ///   - isReplaced: returns `true` for a job whose targets newer messages have replaced while it waited.
    ///   - replaced: gets such jobs, which are not started. One that nothing else waits behind may start nevertheless.
    mutating func next(
        at now: Timestamp, isReplaced: (ChunkJob) -> Bool, replaced: inout [ChunkJob]
    ) -> ChunkJob? {
        while mayStart(at: now), var job = waiting.popFirst() {
            targetsWaiting -= job.chunk.entries.count
            if pause != nil || !waiting.isEmpty, isReplaced(job) {
                replaced.append(job)
                continue
            }
            job.isProbe = pause != nil
            targetsUnderWay += job.chunk.entries.count
            return job
        }
        return nil
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
            if dueAt <= now { backlog = .older }
        }
        targetsUnderWay -= job.chunk.entries.count
    }

    /// Forgets a chunk that was settled without an attempt.
    mutating func settled(_ job: ChunkJob) {
        known.remove(job.chunk.id)
        targetsSettling -= job.chunk.entries.count
    }

    /// Pauses the lane. Jobs that were in flight when the pause began report the same failure and do not extend it.
    ///
    /// - Returns: `true` if a pause begins, or begins again after a probe.
    mutating func failed(_ job: ChunkJob, _ failure: Failure, at now: Timestamp) -> Bool {
        guard pause == nil || job.isProbe else { return false }
        pause = pause ?? LanePause()
        pause?.failed(failure, at: now)
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
