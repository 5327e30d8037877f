internal import DequeModule
internal import DocumentStore

/// The chunks of one lane that are in memory, and what holds them up.
struct LaneQueue {
    private(set) var waiting: Deque<Job> = []
    private(set) var targetsWaiting = 0
    private var targetsUnderWay = 0
    /// The chunks that must not be read from disk now; see ``DispatchState``.
    private(set) var known: Set<ChunkID> = []
    /// Whether chunks that are due may be on disk and not in memory.
    var hasMoreOnDisk = false
    /// When the first of the chunks that are on disk only is due; the distant past until the disk was asked.
    var nextDue = Timestamp.distantPast
    /// Every chunk on disk that was due by then is known, so that what is due is read from here on.
    var readThrough = Timestamp.distantPast
    /// Set while everything of the lane fails.
    private(set) var pause: LanePause?
    let semaphore: LaneSemaphore
    private let maximumTargetsUnderWay: Int

    init(window: Int) {
        semaphore = LaneSemaphore(window: window)
        maximumTargetsUnderWay = 2 * window
    }

    private var isEmpty: Bool { known.isEmpty && !hasMoreOnDisk }

    /// Whether nothing is lost when the queue is forgotten. A pause is something: it would begin anew.
    var isIdle: Bool { isEmpty && pause == nil }

    /// Whether nothing is left but a pause that ended before a time.
    func isOnlyPaused(sinceBefore time: Timestamp) -> Bool { isEmpty && pause.map { $0.until < time } ?? false }

    mutating func learn(_ id: ChunkID) { known.insert(id) }

    /// To be called of a chunk that is, or may be, on disk only from now on.
    mutating func forget(_ id: ChunkID, dueAt: Timestamp) {
        known.remove(id)
        leave(dueAt: dueAt)
    }

    mutating func leave(dueAt: Timestamp) {
        readThrough = min(readThrough, max(dueAt.adding(.microseconds(-1)), .distantPast))
    }

    mutating func append(_ job: Job) {
        known.insert(job.chunk.id)
        waiting.append(job)
        targetsWaiting += job.chunk.entries.count
    }

    /// The job that is first, when there is room under way; while the lane is paused none, and after that one at a time.
    mutating func next(at now: Timestamp) -> Job? {
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

    /// - Parameter dueAt: when the chunk is to be attempted again; nil when it is settled.
    mutating func finish(_ job: Job, dueAt: Timestamp?) {
        known.remove(job.chunk.id)
        if let dueAt {
            leave(dueAt: dueAt)
            nextDue = min(nextDue, dueAt)
        }
        targetsUnderWay -= job.chunk.entries.count
    }

    /// Holds the lane up. Those who were under way when it began say the same thing again, and do not prolong it.
    ///
    /// - Returns: whether it begins now, or has begun anew after another try.
    mutating func failed(_ job: Job, _ trouble: LaneTrouble, at now: Timestamp, retryAfter: Duration?) -> Bool {
        guard pause == nil || job.isProbe else { return false }
        pause = pause ?? LanePause()
        pause?.failed(trouble, at: now, retryAfter: retryAfter)
        return true
    }

    /// - Returns: whether the lane was paused.
    mutating func resume() -> Bool {
        defer { pause = nil }
        return pause != nil
    }
}
