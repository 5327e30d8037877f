internal import DequeModule
internal import DocumentStore

/// Which chunks are in memory and which goes next: the dispatcher's decisions, without its I/O.
///
/// Each lane has a queue of its own, a bound on the targets it may have under way, and a share of memory; lanes take
/// turns. A chunk's id is *known* from before it is committed until after its outcome is, so that it is never read from
/// disk in between.
struct DispatchState {
    /// How many targets may wait in memory, over all lanes; what comes beyond it stays on disk until there is room.
    private let capacity: Int
    private let window: @Sendable (Lane) -> Int
    private var lanes: [Lane: LaneQueue] = [:]
    private var turns: Deque<Lane> = []
    /// Who waits for chunks that are on disk for now, for as long as they do.
    private var parked: [ChunkID: ParkedDelivery] = [:]
    /// Until when chunks on disk are taken for due, in lanes in which that is to be sooner than they say.
    private var advances: [Lane: Timestamp] = [:]
    /// Counts the times that was ordered: what is under way then, and put off after it, has missed it.
    private var lastAdvance = 0
    private(set) var targetsWaiting = 0

    init(capacity: Int, window: @escaping @Sendable (Lane) -> Int) {
        self.capacity = capacity
        self.window = window
    }

    var isIdle: Bool { lanes.values.allSatisfy { $0.known.isEmpty } }

    // MARK: Known chunks

    mutating func reserve(_ id: ChunkID, in lane: Lane) { change(lane) { $0.learn(id) } }

    mutating func forget(_ id: ChunkID, in lane: Lane, dueAt: Timestamp) {
        change(lane) { $0.forget(id, dueAt: dueAt) }
    }

    func isKnown(_ id: ChunkID, in lane: Lane) -> Bool { lanes[lane]?.known.contains(id) ?? false }

    func knownCount(in lane: Lane) -> Int { lanes[lane]?.known.count ?? 0 }

    // MARK: Memory

    /// What each lane may have waiting: with one more lane each has less, and whoever has more takes in no more.
    private var share: Int { max(1, capacity / max(1, lanes.count)) }

    /// How many more targets of the lane memory takes; a chunk that begins within it is taken whole. A lane that has
    /// nothing waiting may always have one chunk, whatever the others hold.
    func room(in lane: Lane) -> Int {
        let waiting = lanes[lane]?.targetsWaiting ?? 0
        return max(waiting == 0 ? 1 : 0, min(share - waiting, capacity - targetsWaiting))
    }

    /// Whether to read more of the lane from disk: when there may be something due, and half of its share is free.
    ///
    /// - Parameter dueAt: when the first chunk of its queue on disk is due, known to memory or not; nil when there is none.
    func isToRead(_ lane: Lane, dueAt: Timestamp?, at now: Timestamp) -> Bool {
        guard let queue = lanes[lane] else { return dueAt.map { $0 <= now } ?? false }
        return (queue.hasMoreOnDisk || queue.nextDue <= now) && wantsMore(of: lane)
    }

    /// The lanes that may have more on disk.
    var lanesWithMore: [Lane] { turns.filter { lanes[$0]?.hasMoreOnDisk == true } }

    private func wantsMore(of lane: Lane) -> Bool {
        guard let queue = lanes[lane] else { return true }
        return queue.targetsWaiting <= share / 2 && room(in: lane) > 0
    }

    /// Whether there is a lane of which more is on disk and wanted.
    var wantsMore: Bool { lanes.contains { $0.value.hasMoreOnDisk && wantsMore(of: $0.key) } }

    /// To be called before the lane's queue is read; what is left to the disk from then on is noted.
    ///
    /// - Returns: what to read: all that is due after the first time, and by the second.
    mutating func willRead(_ lane: Lane, at now: Timestamp) -> (after: Timestamp, through: Timestamp) {
        let through = dueTime(in: lane, at: now)
        let after = min(lanes[lane]?.readThrough ?? .distantPast, through)
        // Not through `change`, which would forget an idle lane: there is always one read after this.
        lanes[lane]?.nextDue = .distantFuture
        lanes[lane]?.hasMoreOnDisk = false
        lanes[lane]?.readThrough = through
        return (after, through)
    }

    /// - Parameter dueAt: when the first chunk is due that was not yet, if there is one.
    mutating func didRead(_ lane: Lane, nextDue dueAt: Timestamp?) {
        change(lane) { $0.nextDue = min($0.nextDue, dueAt ?? .distantFuture) }
    }

    /// - Parameters:
    ///   - time: by when what was read had to be due.
    ///   - left: when the first chunk was due of those that were not taken up; nil when all were.
    mutating func diskRead(of lane: Lane, dueBy time: Timestamp, left: Timestamp?) {
        if left == nil, let advance = advances[lane], advance <= time { advances[lane] = nil }
        let isMoreThere = left != nil || advances[lane] != nil
        change(lane) { queue in
            if let left { queue.leave(dueAt: left) }
            queue.hasMoreOnDisk = queue.hasMoreOnDisk || isMoreThere
        }
    }

    // MARK: Jobs

    /// Queues the job, unless memory is full; then it is forgotten, and found on disk later.
    mutating func enqueue(_ job: Job) {
        let lane = job.chunk.lane
        guard room(in: lane) > 0 else {
            park(job)
            return change(lane) { queue in
                queue.forget(job.chunk.id, dueAt: job.chunk.dueAt)
                queue.hasMoreOnDisk = true
            }
        }
        targetsWaiting += job.chunk.entries.count
        change(lane) { $0.append(job) }
    }

    /// The next job to start, and the semaphore of its lane: the lanes that have room take turns.
    mutating func next(at now: Timestamp) -> (job: Job, semaphore: LaneSemaphore)? {
        for _ in 0..<turns.count {
            guard let lane = turns.popFirst() else { return nil }
            turns.append(lane)
            guard var job = lanes[lane]?.next(at: now), let semaphore = lanes[lane]?.semaphore else { continue }
            targetsWaiting -= job.chunk.entries.count
            job.advance = lastAdvance
            return (job, semaphore)
        }
        return nil
    }

    /// - Parameter dueAt: when the chunk is to be attempted again; nil when it is settled.
    mutating func finish(_ job: Job, dueAt: Timestamp?) {
        if dueAt != nil { park(job) }
        let lane = job.chunk.lane
        let missedAdvance = dueAt != nil && job.advance < lastAdvance
        if missedAdvance { advances[lane] = max(advances[lane] ?? .distantPast, dueAt ?? .distantPast) }
        change(lane) { queue in
            queue.finish(job, dueAt: dueAt)
            queue.hasMoreOnDisk = queue.hasMoreOnDisk || missedAdvance
        }
    }

    // MARK: Lanes

    /// - Returns: until when the lane is held up, when this begins or prolongs it.
    mutating func pause(
        _ job: Job, _ trouble: LaneTrouble, at now: Timestamp, retryAfter: Duration?
    ) -> Timestamp? {
        change(job.chunk.lane) { $0.failed(job, trouble, at: now, retryAfter: retryAfter) ? $0.pause?.until : nil }
    }

    /// - Returns: whether the lane was paused.
    mutating func resume(_ lane: Lane) -> Bool {
        guard lanes[lane] != nil else { return false }
        return change(lane) { $0.resume() }
    }

    /// Ends all pauses before their time. What was put off until their end is due from now on.
    mutating func resumeAll() {
        lastAdvance += 1
        for lane in turns {
            guard let until = pausedUntil(lane) else { continue }
            advances[lane] = until
            change(lane) { queue in
                _ = queue.resume()
                queue.hasMoreOnDisk = true
            }
        }
    }

    /// Takes for due, once, all that is on disk and due by then; pauses end too.
    mutating func advance(_ lanes: [Lane], until time: Timestamp) {
        resumeAll()
        for lane in lanes {
            advances[lane] = max(advances[lane] ?? time, time)
            change(lane) { $0.hasMoreOnDisk = true }
        }
    }

    /// What is due by this time is to be read from the lane's queue on disk.
    private func dueTime(in lane: Lane, at now: Timestamp) -> Timestamp { max(now, advances[lane] ?? now) }

    func pausedUntil(_ lane: Lane) -> Timestamp? { lanes[lane]?.pause?.until }

    /// Returns whether nothing of the lane is to be sent at a time.
    func isHeldUp(_ lane: Lane, at time: Timestamp) -> Bool { pausedUntil(lane).map { $0 > time } ?? false }

    /// Forgets the pauses of lanes that have had nothing to try again with for a minute after theirs had ended: else every
    /// lane that ever failed would stay, and have a share of memory.
    mutating func forgetPauses(at now: Timestamp) {
        for lane in turns where lanes[lane]?.isOnlyPaused(sinceBefore: now.adding(.seconds(-60))) == true {
            _ = change(lane) { $0.resume() }
        }
    }

    /// A lane is there from the first change of it until nothing of it is left.
    private mutating func change<Result>(_ lane: Lane, _ body: (inout LaneQueue) -> Result) -> Result {
        if lanes[lane] == nil { turns.append(lane) }
        let result = body(&lanes[lane, default: LaneQueue(window: window(lane))])
        if lanes[lane]?.isIdle == true {
            lanes.removeValue(forKey: lane)
            turns.removeAll { $0 == lane }
        }
        return result
    }

    // MARK: Deliveries

    /// Who waits for a chunk that is read back from disk.
    mutating func reclaimDelivery(of id: ChunkID) -> Delivery? { parked.removeValue(forKey: id)?.delivery }

    private mutating func park(_ job: Job) {
        guard let delivery = job.delivery else { return }
        parked[job.chunk.id] = ParkedDelivery(lane: job.chunk.lane, delivery: delivery)
    }

    /// The deliveries of the lane's chunks that are not under way, in memory or on disk, with the numbers of the chunks.
    func waitingDeliveries(in lane: Lane) -> [(number: Int, delivery: Delivery)] {
        var deliveries: [(number: Int, delivery: Delivery)] = []
        for job in lanes[lane]?.waiting ?? [] {
            if let delivery = job.delivery { deliveries.append((job.chunk.id.number, delivery)) }
        }
        for (id, one) in parked where one.lane == lane {
            if let delivery = one.delivery { deliveries.append((id.number, delivery)) }
        }
        return deliveries
    }
}

/// The delivery of a chunk on disk; not kept alive once nobody awaits it.
private struct ParkedDelivery: Sendable {
    let lane: Lane
    weak let delivery: Delivery?
}
