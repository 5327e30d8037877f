import DequeModule
import DocumentStore

/// The dispatcher's decisions, without its I/O: the chunks in memory, and the next chunk to send.
///
/// Each lane has its own queue, a limit on its targets in flight, and a share of memory. Lanes take turns. A chunk's
/// id is *known* from before its commit until after the commit of its outcomes, so that it is never read from disk in
/// between.
///
/// A chunk of which nothing is left to send, because newer messages replace its targets or its message has expired, is
/// set aside: it takes no room, delays no other, probes no lane, and is settled without an attempt, many in one commit.
struct DispatchState {
    /// An advance of a lane's chunks.
    private struct Advance {
        /// The time up to which chunks count as due.
        var until: Timestamp
        /// `true` if the read that goes on began after the last chunk was advanced, and so finds all of them.
        var isBeingRead = false
    }

    /// The maximum number of targets that wait in memory, over all lanes. Further chunks stay on disk until memory is
    /// free.
    private let capacity: Int
    private let window: @Sendable (Lane) -> Int
    private var lanes: [Lane: LaneQueue] = [:]
    /// The queue that was idle last: a lane with few messages needs its memory again for each of them.
    private var spare: (lane: Lane, queue: LaneQueue)?
    private var turns: Deque<Lane> = []
    /// The awaited deliveries of chunks that are only on disk at present.
    private var parked: [ChunkID: ParkedDelivery] = [:]
    /// Lanes with chunks that count as due before their stored time.
    private var advances: [Lane: Advance] = [:]
    /// The number of advances so far. A chunk that was in flight during one, and is postponed after it, has missed it.
    private var lastAdvance = 0
    private(set) var targetsWaiting = 0
    /// The chunks that are being read from disk, or wait until their lane was read, with the positions of targets that
    /// were replaced meanwhile.
    private var loading: [ChunkID: Set<Int>] = [:]
    /// The chunks on disk that newer messages have left with nothing to send, until they are read to be settled.
    private var emptied: [Lane: Set<ReplacedTargets.ChunkPlace>] = [:]
    /// The jobs that were set aside, until they are taken to be settled.
    private var unsent: [ChunkJob] = []
    /// The number of targets that were set aside and are not settled yet.
    private var targetsSettling = 0
    /// The collapse keys of the chunks on disk that are not in memory.
    private var keysOnDisk = KeyCounts()
    /// `true` once the queues on disk have been read after the start. Until then any lane may have older chunks there.
    private(set) var isCaughtUp = false

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

    /// Notes that a chunk was added to a lane's queue on disk.
    mutating func adopted(in lane: Lane, dueAt: Timestamp, _ key: CollapseKey?) {
        keysOnDisk.add(key)
        change(lane) { queue in
            queue.leave(dueAt: dueAt)
            queue.noteBacklog()
        }
    }

    // MARK: Replaced chunks

    /// Counts the key of a chunk on disk from before the start.
    mutating func found(_ id: ChunkID, in lane: Lane, _ key: CollapseKey) {
        if !isKnown(id, in: lane) { keysOnDisk.add(key) }
    }

    mutating func caughtUp() { isCaughtUp = true }

    /// Returns `true` if chunks with a key may be on disk that are not in memory, or not in the order of sending yet.
    func mayBeOnDisk(_ key: CollapseKey, in lane: Lane) -> Bool {
        // A key is that of all environments, which are lanes of their own.
        !isCaughtUp || keysOnDisk.mayContain(key)
            || lanes.contains { $0.key.transport == lane.transport && $0.value.hasArrivals }
    }

    /// Notes that chunks are about to be read from disk.
    mutating func willLoad(_ ids: some Sequence<ChunkID>) { for id in ids { loading[id] = [] } }

    /// Ends the reading of chunks.
    mutating func didLoad(_ ids: some Sequence<ChunkID>) { for id in ids { loading[id] = nil } }

    /// Notes that the stored chunk has marks for targets that a newer message replaces.
    mutating func marked(_ id: ChunkID, _ indices: Set<Int>) { loading[id]?.formUnion(indices) }

    /// Notes that newer messages have left chunks on disk with nothing to send. Those in memory are settled from there.
    ///
    /// - Returns: `true` if such chunks are to be read.
    mutating func noteEmptied(_ chunks: some Sequence<(key: ReplacedTargets.ChunkPlace, value: Lane)>) -> Bool {
        for (chunk, lane) in chunks where !isKnown(chunk.id, in: lane) { emptied[lane, default: []].insert(chunk) }
        return canSettleEmptied
    }

    /// `true` if such chunks are to be read, and memory accepts them.
    var canSettleEmptied: Bool { emptied.keys.contains(where: canSettle) }

    /// Returns such chunks of one lane, if memory accepts some.
    mutating func takeEmptied(atMost count: Int) -> (lane: Lane, chunks: [ReplacedTargets.ChunkPlace])? {
        guard let lane = emptied.keys.first(where: canSettle), let all = emptied[lane] else { return nil }
        let chunks = all.prefix(count)
        emptied[lane] = all.count > chunks.count ? all.subtracting(chunks) : nil
        return (lane, chunks.filter { !isKnown($0.id, in: lane) })
    }

    /// Returns the marks that a chunk got while it was read.
    func marks(of id: ChunkID) -> Set<Int> { loading[id] ?? [] }

    func isKnown(_ id: ChunkID, in lane: Lane) -> Bool { lanes[lane]?.known.contains(id) ?? false }

    func knownCount(in lane: Lane) -> Int { lanes[lane]?.known.count ?? 0 }

    // MARK: Memory

    /// The number of targets of each lane that may wait. With one more lane the share of each shrinks; a lane above
    /// its share takes in no more.
    private var share: Int { max(1, capacity / max(1, lanes.count)) }

    /// Returns the number of further targets of a lane that memory accepts. A chunk that begins within it is accepted
    /// as a whole. A lane with nothing waiting may always have one chunk, whatever the others hold.
    ///
    /// A paused lane has none. After the pause it may have one chunk, which is the probe.
    ///
    /// - Parameter isNew: `false` for chunks from the disk. New ones that arrive while these are read take no room from
    ///   them, because they are newer.
    func room(in lane: Lane, isNew: Bool = false, at now: Timestamp) -> Int {
        if !isNew, lanes[lane]?.isReadStopped == true { return 0 }
        let arriving = isNew ? 0 : lanes[lane]?.targetsArriving ?? 0
        let waiting = (lanes[lane]?.targetsWaiting ?? 0) - arriving
        if let until = pausedUntil(lane) {
            let hasProbe = waiting > 0 || lanes[lane].map { $0.targetsUnderWay > 0 } == true
            return until > now || hasProbe ? 0 : 1
        }
        return max(waiting == 0 ? 1 : 0, min(share - waiting, capacity - targetsWaiting + arriving))
    }

    /// Returns `true` if more of a lane is to be read from disk: a chunk there may be due, and half of the lane's
    /// share is free.
    ///
    /// - Parameter dueAt: the time at which the first chunk of its queue on disk is due, known or not; `nil` if the
    ///   queue is empty.
    func shouldRead(_ lane: Lane, dueAt: Timestamp?, at now: Timestamp) -> Bool {
        guard let queue = lanes[lane] else { return dueAt.map { $0 <= now } ?? false }
        return (queue.hasBacklog || queue.nextDue <= now) && needsRefill(of: lane, at: now)
    }

    /// The lanes that may have more chunks on disk.
    var lanesWithMore: [Lane] { turns.filter { lanes[$0]?.hasBacklog == true } }

    private func needsRefill(of lane: Lane, at now: Timestamp) -> Bool {
        guard let queue = lanes[lane] else { return true }
        // New chunks wait for the end of the read, also where there is no room for others.
        return queue.hasArrivals
            || queue.targetsWaiting <= share / 2 && room(in: lane, at: now) > 0 && canSettle(lane)
    }

    /// Returns `true` if a lane has more chunks on disk, and memory accepts them.
    func needsRefill(at now: Timestamp) -> Bool {
        lanes.contains { $0.value.hasBacklog && needsRefill(of: $0.key, at: now) }
    }

    /// Prepares for a read of the lane's queue.
    ///
    /// - Returns: the range to read: all chunks due after the first time and up to the second.
    mutating func willRead(_ lane: Lane, at now: Timestamp) -> (after: Timestamp, through: Timestamp) {
        let through = dueTime(in: lane, at: now)
        let after = min(lanes[lane]?.readThrough ?? .distantPast, through)
        advances[lane]?.isBeingRead = true
        // Not through `change`, which would create the lane.
        lanes[lane]?.beginReading(through: through)
        return (after, through)
    }

    /// Records the time of the next chunk, unless the lane was dropped meanwhile.
    ///
    /// - Parameter dueAt: the time at which the next chunk is due; `nil` if there is none.
    mutating func didRead(_ lane: Lane, nextDue dueAt: Timestamp?) {
        guard lanes[lane] != nil else { return }
        change(lane) { $0.nextDue = min($0.nextDue, dueAt ?? .distantFuture) }
    }

    /// Records a read of the lane's queue. A lane that was dropped meanwhile comes back only if more of it is on disk.
    ///
    /// - Parameters:
    ///   - time: the time up to which chunks were read.
    ///   - left: the time at which the first chunk that was not loaded was due; `nil` if all were loaded.
    /// - Returns: the chunks that arrived meanwhile and may start now.
    mutating func diskRead(of lane: Lane, dueBy time: Timestamp, left: Timestamp?, at now: Timestamp) -> [ChunkJob] {
        let isComplete = left == nil && lanes[lane]?.isReadStopped != true
        if isComplete, let advance = advances[lane], advance.isBeingRead, advance.until <= time {
            advances[lane] = nil
        }
        let isAdvanced = advances[lane] != nil
        guard left != nil || isAdvanced || lanes[lane] != nil else { return [] }
        removeUnsentArrivals(of: lane, at: now)
        let marks = loading
        let hasRoom = targetsWaiting <= capacity && (lanes[lane]?.targetsWaiting ?? 0) <= share
        let (arrivals, mayStart) = change(lane) { queue in
            if let left { queue.leaveRest(dueAt: left) }
            if isAdvanced { queue.noteBacklog() }
            return queue.endReading(at: now, hasRoom: hasRoom) { marks[$0] ?? [] }
        }
        didLoad(arrivals.map(\.chunk.id))
        if !mayStart { noteLeft(arrivals) }
        return mayStart ? Array(arrivals) : []
    }

    /// Notes that jobs in memory were left to the disk.
    private mutating func noteLeft(_ jobs: some Collection<ChunkJob>) {
        for job in jobs {
            loading[job.chunk.id] = nil
            targetsWaiting -= job.chunk.entries.count
            keysOnDisk.add(job.chunk.collapseKey)
            park(job)
        }
    }

    // MARK: Jobs

    /// Queues the job. If memory is full, or older jobs are on disk, forgets it instead; it is found on disk later. A
    /// job from the disk that has nothing to send is set aside.
    ///
    /// - Parameter isNew: `true` for a chunk that has just been accepted, `false` for one that was read from disk.
    /// - Returns: `true` if the job may start.
    mutating func enqueue(_ job: ChunkJob, isNew: Bool, at now: Timestamp) -> Bool {
        let lane = job.chunk.lane
        // A lane that is to be probed has room for one arrival, the newest if each replaces the one before it.
        if pausedUntil(lane) != nil { removeUnsentArrivals(of: lane, at: now) }
        if !isNew {
            keysOnDisk.remove(job.chunk.collapseKey)
            guard !job.hasNothingToSend(at: now) else {
                setAside(job)
                return false
            }
        }
        let mustWaitOnDisk = lanes[lane]?.mustWaitOnDisk(job, isNew: isNew, at: now) ?? false
        guard room(in: lane, isNew: isNew, at: now) > 0, !mustWaitOnDisk else {
            keysOnDisk.add(job.chunk.collapseKey)
            park(job)
            change(lane) { $0.leave(job, isNew: isNew, at: now) }
            return false
        }
        targetsWaiting += job.chunk.entries.count
        let mayStart = change(lane) { $0.append(job, isNew: isNew) }
        if !mayStart { loading[job.chunk.id] = [] }
        return mayStart
    }

    /// Returns the next job to start, and the semaphore of its lane. Lanes with free capacity take turns.
    ///
    /// - Parameter isReplaced: returns `true` for a job whose targets newer messages have replaced while it waited. It
    ///   is set aside.
    mutating func next(
        at now: Timestamp, isReplaced: (ChunkJob) -> Bool = { _ in false }
    ) -> (job: ChunkJob, semaphore: LaneSemaphore)? {
        for _ in 0..<turns.count {
            guard let lane = turns.popFirst() else { return nil }
            turns.append(lane)
            var replaced: [ChunkJob] = []
            // Not by `lanes[lane]?`, for which Swift allocates memory of several queues' size.
            let next = change(lane) { $0.next(at: now, isReplaced: isReplaced, replaced: &replaced) }
            for job in replaced {
                targetsWaiting -= job.chunk.entries.count
                setAside(job.replaced)
            }
            guard var job = next, let semaphore = lanes[lane]?.semaphore else { continue }
            targetsWaiting -= job.chunk.entries.count
            job.advance = lastAdvance
            return (job, semaphore)
        }
        return nil
    }

    /// Ends a job.
    ///
    /// - Parameter dueAt: the time of the next attempt at the chunk; `nil` if it is settled.
    mutating func finish(_ job: ChunkJob, dueAt: Timestamp?, at now: Timestamp) {
        if dueAt != nil {
            keysOnDisk.add(job.chunk.collapseKey)
            park(job)
        }
        let lane = job.chunk.lane
        let missedAdvance = dueAt != nil && job.advance < lastAdvance
        if missedAdvance, let dueAt { advances[lane] = Advance(until: max(advances[lane]?.until ?? dueAt, dueAt)) }
        change(lane) { queue in
            queue.finish(job, dueAt: dueAt, at: now)
            if missedAdvance { queue.noteBacklog() }
        }
    }

    // MARK: Jobs that are set aside

    /// Returns `true` if memory accepts more jobs of a lane that are only to be settled. A lane with none may always
    /// have a batch, whatever the others hold.
    func canSettle(_ lane: Lane) -> Bool {
        targetsSettling < Self.mostSettling || lanes[lane].map { $0.targetsSettling == 0 } ?? true
    }

    /// The number of targets that are settled at once without having been sent to. A batch of chunks that begins within
    /// it is accepted as a whole.
    private static let mostSettling = 1_000

    /// Sets a job from the disk aside, if it has nothing to send. Otherwise it stays there.
    mutating func setAside(_ job: ChunkJob, at now: Timestamp) {
        guard job.hasNothingToSend(at: now), !isKnown(job.chunk.id, in: job.chunk.lane) else { return park(job) }
        keysOnDisk.remove(job.chunk.collapseKey)
        setAside(job)
    }

    private mutating func setAside(_ job: ChunkJob) {
        change(job.chunk.lane) { $0.setAside(job) }
        targetsSettling += job.chunk.entries.count
        unsent.append(job)
    }

    /// Sets aside the new chunks of the time in which a lane is read that have nothing left to send.
    private mutating func removeUnsentArrivals(of lane: Lane, at now: Timestamp) {
        guard lanes[lane]?.hasArrivals == true else { return }
        let marks = loading
        for job in change(lane, { $0.removeUnsentArrivals(at: now) { marks[$0] ?? [] } }) {
            loading[job.chunk.id] = nil
            targetsWaiting -= job.chunk.entries.count
            setAside(job)
        }
    }

    /// `true` if jobs were set aside that are not taken yet.
    var hasUnsent: Bool { !unsent.isEmpty }

    /// Returns the jobs that were set aside since the last call. Call ``settled(_:)`` when one is settled.
    mutating func takeUnsent() -> [ChunkJob] {
        guard hasUnsent else { return [] }
        defer { unsent = [] }
        return unsent
    }

    mutating func settled(_ job: ChunkJob) {
        targetsSettling -= job.chunk.entries.count
        change(job.chunk.lane) { $0.settled(job) }
    }

    // MARK: Lanes

    /// Pauses a lane after a failure. Its jobs that have not started are left to the disk, behind those that failed.
    ///
    /// - Returns: the end of the pause, if this failure begins or extends one, and those jobs.
    mutating func pause(
        _ job: ChunkJob, _ failure: Failure, at now: Timestamp
    ) -> (until: Timestamp, left: [ChunkJob])? {
        let pause = change(job.chunk.lane) { queue -> (until: Timestamp, left: [ChunkJob])? in
            guard queue.failed(job, failure, at: now), let until = queue.pause?.until else {
                return nil
            }
            return (until, Array(queue.leaveAllToDisk()))
        }
        if let pause { noteLeft(pause.left) }
        return pause
    }

    /// Ends the pause of a lane.
    ///
    /// - Returns: `true` if the lane was paused.
    mutating func resume(_ lane: Lane) -> Bool {
        guard lanes[lane] != nil else { return false }
        return change(lane) { $0.resume() }
    }

    /// Ends all pauses early. Chunks that were postponed until their end are due now.
    mutating func resumeAll() {
        lastAdvance += 1
        for lane in turns {
            guard let until = pausedUntil(lane) else { continue }
            advances[lane] = Advance(until: until)
            change(lane) { queue in
                _ = queue.resume()
                queue.noteBacklog()
            }
        }
    }

    /// Makes all chunks on disk that are due by a time count as due now, once. All pauses end too.
    mutating func advance(_ lanes: [Lane], until time: Timestamp) {
        resumeAll()
        for lane in lanes {
            advances[lane] = Advance(until: max(advances[lane]?.until ?? time, time))
            change(lane) { $0.noteBacklog() }
        }
    }

    /// Returns the time up to which the lane's queue on disk is to be read.
    private func dueTime(in lane: Lane, at now: Timestamp) -> Timestamp { max(now, advances[lane]?.until ?? now) }

    func pausedUntil(_ lane: Lane) -> Timestamp? { lanes[lane]?.pause?.until }

    /// Returns `true` if the lane is paused at a time.
    func isHeldUp(_ lane: Lane, at time: Timestamp) -> Bool { lanes[lane]?.isHeldUp(at: time) ?? false }

    /// Returns the lanes that are paused at a time, with the ends of their pauses.
    func pausedLanes(at time: Timestamp) -> [(lane: Lane, until: Timestamp)] {
        turns.compactMap { lane in pausedUntil(lane).flatMap { $0 > time ? (lane, $0) : nil } }
    }

    /// Returns the lanes whose notifications failed together, and have not been accepted since, with their pauses.
    func unresolvedPauses(at time: Timestamp) -> [(lane: Lane, pause: LanePause)] {
        turns.compactMap { lane in lanes[lane]?.unresolvedPause(at: time).map { (lane, $0) } }
    }

    /// Forgets pauses that ended at least a minute ago, in lanes with nothing left to retry. Otherwise every lane
    /// that ever failed would keep its share of memory.
    mutating func forgetPauses(at now: Timestamp) {
        for lane in turns where lanes[lane]?.isOnlyPaused(sinceBefore: now.adding(.seconds(-60))) == true {
            _ = change(lane) { $0.resume() }
        }
    }

    /// Changes a lane's queue. A lane exists from its first change until it is idle.
    private mutating func change<Result>(_ lane: Lane, _ body: (inout LaneQueue) -> Result) -> Result {
        if lanes[lane] == nil {
            turns.append(lane)
            lanes[lane] = takeSpare(of: lane)
        }
        let result = body(&lanes[lane, default: LaneQueue(window: window(lane), isKnown: isCaughtUp)])
        if lanes[lane]?.isIdle == true, let queue = lanes.removeValue(forKey: lane) {
            turns.removeAll { $0 == lane }
            if queue.isSmall { spare = (lane, queue) }
        }
        return result
    }

    /// Returns a queue with the memory of the lane's last one; `nil` if that was not kept.
    private mutating func takeSpare(of lane: Lane) -> LaneQueue? {
        guard let (last, queue) = spare, last == lane, queue.window == window(lane) else { return nil }
        spare = nil
        return queue.startedOver(isKnown: isCaughtUp)
    }

    // MARK: Deliveries

    /// Returns the delivery that awaits a chunk, if any. Call it when the chunk is loaded from disk.
    mutating func reclaimDelivery(of id: ChunkID) -> Delivery? { parked.removeValue(forKey: id)?.delivery }

    private mutating func park(_ job: ChunkJob) {
        guard let delivery = job.delivery else { return }
        parked[job.chunk.id] = ParkedDelivery(lane: job.chunk.lane, delivery: delivery)
    }

    /// Returns the deliveries of the lane's chunks that are not in flight, in memory or on disk, with the chunks'
    /// numbers.
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

/// The delivery of a chunk on disk. It is released when no caller awaits it.
private struct ParkedDelivery: Sendable {
    let lane: Lane
    weak let delivery: Delivery?
}
