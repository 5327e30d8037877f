internal import DequeModule

/// A chunk on its way through the dispatcher.
struct Job: Sendable {
    let chunk: Chunk
    let message: AcceptedMessage
    /// Who waits for it, when someone does.
    let delivery: Delivery?
}

/// Which chunks are in memory and which goes next: the dispatcher's decisions, without its I/O.
///
/// Each lane has a queue of its own and a bound on the targets it may have under way; lanes take turns. A chunk's id is
/// *known* from before it is committed until after its outcome is, so that it is never read from disk in between.
struct DispatchState {
    private struct LaneQueue {
        var waiting: Deque<Job> = []
        var targetsUnderWay = 0
        let semaphore: LaneSemaphore
        let maximumTargetsUnderWay: Int

        var hasRoom: Bool { targetsUnderWay < maximumTargetsUnderWay }
        var isIdle: Bool { waiting.isEmpty && targetsUnderWay == 0 }
    }

    /// How many targets may wait in memory; what comes beyond it stays on disk until there is room.
    let capacity: Int
    private var lanes: [Lane: LaneQueue] = [:]
    private var turns: Deque<Lane> = []
    private var known: Set<ChunkID> = []
    /// Who waits for chunks that are on disk for now, for as long as they do.
    private var parked: [ChunkID: WeakDelivery] = [:]
    private(set) var targetsWaiting = 0
    /// Whether chunks that are due may be on disk and not in memory.
    private(set) var hasMoreOnDisk = false

    init(capacity: Int) { self.capacity = capacity }

    var knownCount: Int { known.count }
    var isIdle: Bool { known.isEmpty }
    /// Whether it is time to read more from disk.
    var wantsMore: Bool { hasMoreOnDisk && targetsWaiting <= capacity / 2 }

    func isKnown(_ id: ChunkID) -> Bool { known.contains(id) }

    mutating func reserve(_ ids: [ChunkID]) { known.formUnion(ids) }

    mutating func forget(_ ids: [ChunkID]) { known.subtract(ids) }

    mutating func diskRead(foundMore: Bool) { hasMoreOnDisk = foundMore }

    /// Queues the job, unless memory is full; then it is forgotten, and found on disk later.
    mutating func enqueue(_ job: Job, window: Int) {
        guard targetsWaiting < capacity else {
            known.remove(job.chunk.id)
            park(job)
            hasMoreOnDisk = true
            return
        }
        known.insert(job.chunk.id)
        targetsWaiting += job.chunk.entries.count
        let lane = job.chunk.lane
        if lanes[lane] == nil {
            lanes[lane] = LaneQueue(semaphore: LaneSemaphore(window: window), maximumTargetsUnderWay: 2 * window)
            turns.append(lane)
        }
        lanes[lane]?.waiting.append(job)
    }

    /// The next job to start, and the semaphore of its lane: the lanes that have room take turns.
    mutating func next() -> (job: Job, semaphore: LaneSemaphore)? {
        for _ in 0..<turns.count {
            guard let lane = turns.popFirst() else { return nil }
            turns.append(lane)
            guard lanes[lane]?.hasRoom == true, let job = lanes[lane]?.waiting.popFirst(),
                let semaphore = lanes[lane]?.semaphore
            else { continue }
            targetsWaiting -= job.chunk.entries.count
            lanes[lane]?.targetsUnderWay += job.chunk.entries.count
            return (job, semaphore)
        }
        return nil
    }

    /// - Parameter isSettled: whether the chunk needs no further attempt.
    mutating func finish(_ job: Job, isSettled: Bool) {
        known.remove(job.chunk.id)
        if !isSettled { park(job) }
        let lane = job.chunk.lane
        lanes[lane]?.targetsUnderWay -= job.chunk.entries.count
        guard lanes[lane]?.isIdle == true else { return }
        lanes.removeValue(forKey: lane)
        turns.removeAll { $0 == lane }
    }

    /// Who waits for a chunk that is read back from disk.
    mutating func reclaimDelivery(of id: ChunkID) -> Delivery? { parked.removeValue(forKey: id)?.delivery }

    private mutating func park(_ job: Job) {
        if let delivery = job.delivery { parked[job.chunk.id] = WeakDelivery(delivery: delivery) }
    }
}

/// Does not keep alive what nobody waits for any more.
private struct WeakDelivery: Sendable {
    weak let delivery: Delivery?
}
