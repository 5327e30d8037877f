import DocumentStore
import Signals
import Synchronization

/// The lanes of a dispatcher: their chunks in memory, and the order in which the notifications of these are sent.
///
/// A chunk comes into memory, and goes back to the disk, in both at one moment.
final class Lanes: Sendable {
    private let state: Mutex<DispatchState>
    /// Taken together with ``state`` only after it.
    private let order = Mutex(SendingOrder<TurnHandler>())
    private let memoryAvailable = Signal()
    private let now: @Sendable () -> Timestamp

    /// Creates the lanes.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of targets that wait in memory.
    ///   - window: returns the maximum number of notifications of a lane in flight.
    init(
        capacity: Int, window: @escaping @Sendable (Lane) -> Int, now: @escaping @Sendable () -> Timestamp
    ) {
        state = Mutex(DispatchState(capacity: capacity, window: window))
        self.now = now
    }

    /// `true` if no chunk is in memory.
    var isIdle: Bool { state.withLock(\.isIdle) }

    /// The number of targets that wait in memory.
    var targetsWaiting: Int { state.withLock(\.targetsWaiting) }

    // MARK: Known chunks

    /// Makes chunks known before the commit that stores them.
    func reserve(_ jobs: [ChunkJob]) {
        state.withLock { state in jobs.forEach { state.reserve($0.chunk.id, in: $0.chunk.lane) } }
    }

    /// Makes a chunk on disk known, so that it is not read.
    func reserve(_ id: ChunkID, in lane: Lane) { state.withLock { $0.reserve(id, in: lane) } }

    /// Forgets chunks that were not committed.
    func forget(_ jobs: [ChunkJob]) {
        state.withLock { state in
            for chunk in jobs.map(\.chunk) { state.forget(chunk.id, in: chunk.lane, dueAt: chunk.dueAt) }
        }
    }

    /// Notes chunks that were put into this gateway's queues on disk, or may be there.
    func adopted(_ chunks: [AdoptedChunk]) {
        state.withLock { state in
            for chunk in chunks { state.adopted(in: chunk.lane, dueAt: chunk.dueAt, chunk.collapseKey) }
        }
        refill()
    }

    // MARK: Jobs

    /// Queues jobs.
    ///
    /// - Parameter isNew: `true` for chunks that have just been accepted, `false` for those that were read from disk.
    /// - Returns: `true` if others waited before them.
    func enqueue(_ jobs: [ChunkJob], isNew: Bool) -> Bool {
        let time = now()
        var superseded: [TurnHandler] = []
        let (hasMore, needsRefill) = state.withLock { state in
            let hasMore = state.targetsWaiting > 0
            for var job in jobs {
                if !isNew { job.chunk.replace(state.marks(of: job.chunk.id)) }
                let mayStart = state.enqueue(job, isNew: isNew, at: time)
                superseded += order.withLock { $0.enter(job, mayStart: mayStart, isNew: isNew) }
                guard state.isHeldUp(job.chunk.lane, at: time) else { continue }
                job.delivery?.chunkPostponed(job.chunk.id.number, until: nil)
            }
            return (hasMore, state.needsRefill(at: time))
        }
        for handler in superseded { handler(false) }
        if needsRefill { refill() }
        return hasMore
    }

    /// Returns the next job to start, and the semaphore of its lane; and the jobs that are only to be settled. Call
    /// ``settled(_:)`` for these.
    func next() -> (start: (job: ChunkJob, semaphore: LaneSemaphore)?, unsent: [ChunkJob]) {
        let time = now()
        let (start, unsent, needsRefill) = state.withLock { state in
            let start = state.next(at: time) { job in order.withLock { !$0.contains(job) } }
            let unsent = state.takeUnsent()
            return (start, unsent, !unsent.isEmpty && state.needsRefill(at: time))
        }
        if needsRefill { refill() }
        return (start, unsent)
    }

    /// Ends jobs that were settled without an attempt.
    func settled(_ jobs: [ChunkJob]) {
        state.withLock { state in jobs.forEach { state.settled($0) } }
        // The reader may wait for that.
        refill()
    }

    /// Ends a job.
    ///
    /// - Parameter dueAt: the time of the next attempt at the chunk; `nil` if it is settled.
    /// - Returns: `true` if others wait.
    func finish(_ job: ChunkJob, dueAt: Timestamp?) -> Bool {
        let time = now()
        let (hasMore, needsRefill, next) = state.withLock { state in
            state.finish(job, dueAt: dueAt, at: time)
            let next = dueAt == nil ? [] : order.withLock { $0.leave([job]) }
            return (state.targetsWaiting > 0, state.needsRefill(at: time), next)
        }
        for handler in next { handler(true) }
        if needsRefill { refill() }
        return hasMore
    }

    /// Wakes the reader of the queues on disk, if memory accepts more.
    func refill() { memoryAvailable.notify() }
}

/// The turns of notifications.
extension Lanes {
    /// Begins to send to a target of an attempt if it is its turn. If it has to wait, the end of the wait follows by
    /// ``ChunkAttempt/endWait(_:_:isTurn:)``.
    func begin(_ index: Int, _ target: Target, of attempt: ChunkAttempt) -> SendingOrder<TurnHandler>.Turn {
        let (place, line) = (attempt.job.place(index), attempt.job.line(of: target))
        return order.withLock { order in
            order.begin(place, in: line) { isTurn in attempt.endWait(index, target, isTurn: isTurn) }
        }
    }

    /// Ends a notification in its line.
    ///
    /// - Parameter hasFailed: `true` if it is to be sent again.
    /// - Returns: `true` if a newer message has been accepted meanwhile; and the handler of the next one, whose turn
    ///   has come.
    func end(
        _ place: NotificationPlace, in line: SendingLine, hasFailed: Bool = false
    ) -> (isSuperseded: Bool, next: TurnHandler?) {
        order.withLock { $0.end(place, in: line, hasFailed: hasFailed) }
    }

    /// Returns the notification in flight for whose answer another one waits; `nil` if that one does not wait.
    func predecessor(of place: NotificationPlace, in line: SendingLine) -> NotificationPlace? {
        order.withLock { $0.predecessor(of: place, in: line) }
    }

    /// Removes the notifications of a job that is settled without being sent.
    func leave(_ job: ChunkJob) {
        for handler in order.withLock({ $0.leave([job]) }) { handler(true) }
    }

    /// Adds the targets in memory that a chunk of a message replaces.
    ///
    /// - Parameter isNew: `true` if all others are older.
    /// - Returns: `true` if more of them may be on disk. Both are true of one moment, since chunks come into memory and
    ///   go back to the disk.
    func addReplaced(
        by chunk: Chunk, _ key: CollapseKey, isNew: Bool, to replaced: inout ReplacedTargets
    ) -> Bool {
        state.withLock { state in
            order.withLock { order in
                for (index, token) in chunk.positionsAndTokens {
                    replaced.insert(order.places(in: .collapsible(key, token)), of: chunk.id, index, isNew: isNew)
                }
            }
            return state.mayBeOnDisk(key, in: chunk.lane)
        }
    }

    /// Notes that the marks of replaced targets have been stored.
    func marked(_ replaced: ReplacedTargets) {
        guard !replaced.isEmpty || !replaced.emptied.isEmpty else { return }
        let needsReader = state.withLock { state in
            for (chunk, indices) in replaced.chunks { state.marked(chunk.id, indices) }
            return state.noteEmptied(replaced.emptied)
        }
        if needsReader { refill() }
    }

    /// Notes again that chunks on disk have nothing to send, after they could not be read.
    func noteEmptied(_ chunks: [ReplacedTargets.ChunkPlace], in lane: Lane) {
        state.withLock { state in _ = state.noteEmptied(chunks.lazy.map { (key: $0, value: lane) }) }
    }
}

/// The pauses of lanes.
extension Lanes {
    /// Pauses the lane of a job after a failure. Its jobs that have not started are left to the disk.
    ///
    /// - Returns: the end of the pause, if this failure begins or extends one.
    func pause(_ job: ChunkJob, _ failure: Failure) -> Timestamp? {
        let time = now()
        let lane = job.chunk.lane
        let pause = state.withLock { state in
            state.pause(job, failure, at: time).map { until, left in
                let next = order.withLock { $0.leave(left) }
                return (until: until, next: next, waiting: state.waitingDeliveries(in: lane))
            }
        }
        guard let (until, next, waiting) = pause else { return nil }
        for handler in next { handler(true) }
        for (number, delivery) in waiting { delivery.chunkPostponed(number, until: nil) }
        return until
    }

    /// Ends the pause of a lane.
    ///
    /// - Returns: `true` if the lane was paused.
    func resume(_ lane: Lane) -> Bool { state.withLock { $0.resume(lane) } }

    /// Ends all pauses.
    func resumeAll() { state.withLock { $0.resumeAll() } }

    /// Returns `true` if the lane is paused now.
    func isHeldUp(_ lane: Lane) -> Bool {
        let time = now()
        return state.withLock { $0.isHeldUp(lane, at: time) }
    }

    /// The lanes that are paused now, with the ends of their pauses.
    var paused: [(lane: Lane, until: Timestamp)] {
        let time = now()
        return state.withLock { $0.pausedLanes(at: time) }
    }

    /// The lanes whose notifications failed together, and have not been accepted since, with their pauses.
    var unresolvedPauses: [(lane: Lane, pause: LanePause)] {
        let time = now()
        return state.withLock { $0.unresolvedPauses(at: time) }
    }

    /// Forgets the pauses of lanes with nothing left to retry.
    func forgetPauses() {
        let time = now()
        state.withLock { $0.forgetPauses(at: time) }
    }
}

/// The reading of the queues on disk. ``DispatchState`` describes its steps.
extension Lanes {
    var isCaughtUp: Bool { state.withLock(\.isCaughtUp) }

    func caughtUp() { state.withLock { $0.caughtUp() } }

    /// The lanes that may have more chunks on disk.
    var withBacklog: [Lane] { state.withLock(\.lanesWithMore) }

    /// Waits until memory accepts more of what is on disk, until newer messages have left chunks there with nothing to
    /// send, or for the given time.
    func waitForMemory(atMost bound: Duration, clock: any Clock<Duration>) async {
        await memoryAvailable.wait(atMost: bound, clock: clock) {
            let time = self.now()
            return self.state.withLock { $0.canSettleEmptied || $0.needsRefill(at: time) }
        }
    }

    /// Returns chunks on disk of one lane that newer messages have left with nothing to send, if memory accepts some.
    func takeEmptied(atMost count: Int) -> (lane: Lane, chunks: [ReplacedTargets.ChunkPlace])? {
        state.withLock { $0.takeEmptied(atMost: count) }
    }

    /// Sets those jobs from the disk aside that have nothing to send, to be settled. The others stay on disk.
    func setAside(_ jobs: [ChunkJob]) {
        let time = now()
        state.withLock { state in
            for var job in jobs {
                job.chunk.replace(state.marks(of: job.chunk.id))
                state.setAside(job, at: time)
            }
        }
    }

    /// Makes all chunks on disk that are due by a time count as due now, once.
    func advance(_ lanes: [Lane], until time: Timestamp) { state.withLock { $0.advance(lanes, until: time) } }

    /// Counts the keys of chunks on disk from before the start.
    func found(_ chunks: [(id: ChunkID, lane: Lane, key: CollapseKey)]) {
        state.withLock { state in
            for chunk in chunks { state.found(chunk.id, in: chunk.lane, chunk.key) }
        }
    }

    /// Begins to read a lane's queue, if that is to be read.
    ///
    /// - Parameter dueAt: the time at which its first chunk is due; `nil` if it is empty.
    /// - Returns: the range to read: all chunks due after the first time and up to the second.
    func beginReading(_ lane: Lane, dueAt: Timestamp?) -> (after: Timestamp, through: Timestamp)? {
        let time = now()
        return state.withLock { state -> (after: Timestamp, through: Timestamp)? in
            guard state.shouldRead(lane, dueAt: dueAt, at: time) else { return nil }
            return state.willRead(lane, at: time)
        }
    }

    /// Ends the reading of a lane's queue, and queues the chunks that arrived meanwhile.
    ///
    /// - Parameter left: the time at which the first chunk that was not loaded was due; `nil` if all were loaded.
    /// - Returns: `true` if such chunks may start, or are to be settled.
    func endReading(of lane: Lane, dueBy end: Timestamp, left: Timestamp?) -> Bool {
        let time = now()
        let (hasArrivals, superseded) = state.withLock { state in
            let arrivals = state.diskRead(of: lane, dueBy: end, left: left, at: time)
            let superseded = order.withLock { order in
                arrivals.flatMap { order.enter($0, mayStart: true, isNew: true) }
            }
            return (!arrivals.isEmpty || state.hasUnsent, superseded)
        }
        for handler in superseded { handler(false) }
        return hasArrivals
    }

    /// Records the time at which the next chunk of a queue that was read is due; `nil` if there is none.
    func didRead(_ lane: Lane, nextDue dueAt: Timestamp?) { state.withLock { $0.didRead(lane, nextDue: dueAt) } }

    /// Returns `true` if memory accepts more jobs of a lane that are only to be settled.
    func canSettle(_ lane: Lane) -> Bool { state.withLock { $0.canSettle(lane) } }

    /// Returns the number of further targets of a lane that memory accepts from the disk.
    func room(in lane: Lane, at time: Timestamp) -> Int { state.withLock { $0.room(in: lane, at: time) } }

    /// Returns the number of chunks of a lane that are known.
    func knownCount(in lane: Lane) -> Int { state.withLock { $0.knownCount(in: lane) } }

    /// Returns the chunks of a lane that are not known.
    func unknown(_ chunks: [DocumentPath], in lane: Lane) -> [DocumentPath] {
        state.withLock { state in
            chunks.filter { path in ChunkID(path).map { !state.isKnown($0, in: lane) } ?? false }
        }
    }

    func willLoad(_ ids: [ChunkID]) { state.withLock { $0.willLoad(ids) } }

    func didLoad(_ ids: [ChunkID]) { state.withLock { $0.didLoad(ids) } }

    /// Returns the delivery that awaits a chunk, if any. Call it when the chunk is loaded from disk.
    func reclaimDelivery(of id: ChunkID) -> Delivery? { state.withLock { $0.reclaimDelivery(of: id) } }
}

/// A chunk that was put into this gateway's queues on disk, or may be there.
struct AdoptedChunk: Sendable {
    let lane: Lane
    let dueAt: Timestamp
    let collapseKey: CollapseKey?
}
