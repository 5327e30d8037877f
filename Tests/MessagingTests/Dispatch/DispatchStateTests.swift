import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

/// Tests that a chunk which is only on disk is always found there.
@Suite("Reading a lane's queue from disk")
struct DispatchStateTests {
    private let lane = Lane(transport: .apns)
    private let start = ManualClock.start
    private var later: Timestamp { start.adding(.seconds(5)) }

    private func job(_ number: Int, targets: Int = 1) -> ChunkJob {
        let chunk = Chunk(
            id: ChunkID(message: "m", number: number), isInMessage: false, lane: lane,
            entries: Array(repeating: Chunk.Entry(registration: nil, state: .pending), count: targets), attempts: 0,
            dueAt: start)
        let message = AcceptedMessage(
            id: "m", message: .sample(), source: "test", owner: "test", text: "{}",
            registrationFields: RegistrationFields(token: "token"),
            acceptedAt: start, expiresAt: start.adding(.seconds(60)))
        return ChunkJob(chunk: chunk, message: message, delivery: nil)
    }

    private func state() -> DispatchState {
        var state = DispatchState(capacity: 10) { _ in 10 }
        state.caughtUp()
        return state
    }

    private func started(_ state: inout DispatchState) -> ChunkJob? { state.next(at: start)?.job }

    @Test("A lane is read again if a chunk found memory full during the previous read")
    func overflowWhileReading() throws {
        var state = state()
        state.enqueue(job(0, targets: 10))
        _ = state.willRead(lane, at: start)
        state.enqueue(job(1))
        state.read(lane, dueBy: start)
        state.didRead(lane, nextDue: nil)
        #expect(!state.needsRefill(at: start))
        #expect(started(&state) != nil)
        #expect(state.needsRefill(at: start) && state.shouldRead(lane, dueAt: start, at: start))
    }

    @Test("A lane with nothing left on disk is read once and then dropped")
    func nothingThere() throws {
        var state = state()
        state.enqueue(job(0))
        let next = started(&state)
        let job = try #require(next)
        _ = state.pause(job, .ofLane(.refused), at: start)
        state.finish(job, dueAt: nil, at: start)
        state.resumeAll()
        #expect(state.lanesWithMore == [lane])
        #expect(state.shouldRead(lane, dueAt: nil, at: start))
        _ = state.willRead(lane, at: start)
        state.read(lane, dueBy: later)
        state.didRead(lane, nextDue: nil)
        #expect(state.lanesWithMore.isEmpty && !state.needsRefill(at: start) && state.isIdle)
    }

    @Test("A lane that was idle starts over when it is used again")
    func usedAgain() throws {
        var state = state()
        state.enqueue(job(0))
        _ = state.willRead(lane, at: start)
        state.read(lane, dueBy: start)
        state.didRead(lane, nextDue: nil)
        #expect(!state.shouldRead(lane, dueAt: start, at: start))
        let first = started(&state)
        let done = try #require(first)
        state.finish(done, dueAt: nil, at: start)
        #expect(state.isIdle && state.knownCount(in: lane) == 0)
        state.enqueue(job(1))
        #expect(state.knownCount(in: lane) == 1 && state.room(in: lane, isNew: true, at: start) == 9)
        #expect(state.shouldRead(lane, dueAt: start, at: start))
        let range = state.willRead(lane, at: later)
        #expect(range.after == .distantPast && range.through == later)
        let second = started(&state)
        #expect(second?.chunk.id.number == 1)
    }

    private final class Window: Sendable {
        let size = Mutex(1)
    }

    @Test("A lane that was idle has a new window if that has changed")
    func changedWindow() throws {
        let window = Window()
        var state = DispatchState(capacity: 10) { _ in window.size.withLock { $0 } }
        state.caughtUp()
        for size in 1...2 {
            window.size.withLock { $0 = size }
            state.enqueue(job(size))
            let next = state.next(at: start)
            let (job, semaphore) = try #require(next)
            let slots = (1...3).count { _ in semaphore.acquire {} }
            #expect(slots == size)
            state.finish(job, dueAt: nil, at: start)
        }
    }

    @Test("A chunk in flight during resumeAll that is then put off is due at once")
    func putOffAfterResume() throws {
        var state = state()
        state.enqueue(job(0))
        let next = started(&state)
        let job = try #require(next)
        let pause = state.pause(job, .ofLane(.refused), at: start)
        let until = try #require(pause).until
        state.resumeAll()
        _ = state.willRead(lane, at: start)
        state.read(lane, dueBy: until)
        state.didRead(lane, nextDue: nil)
        state.finish(job, dueAt: until, at: start)
        #expect(state.shouldRead(lane, dueAt: until, at: start))
        #expect(state.willRead(lane, at: start).through == until)
    }

    @Test("A chunk in flight during resumeAll that is put off while its lane is read is due at once")
    func putOffWhileReading() throws {
        var state = state()
        state.enqueue(job(0))
        let next = started(&state)
        let job = try #require(next)
        let pause = state.pause(job, .ofLane(.refused), at: start)
        let until = try #require(pause).until
        state.resumeAll()
        #expect(state.willRead(lane, at: start).through == until)
        state.finish(job, dueAt: until, at: start)
        state.read(lane, dueBy: until)
        state.didRead(lane, nextDue: until)
        #expect(state.shouldRead(lane, dueAt: until, at: start))
        #expect(state.willRead(lane, at: start).through == until)
        // Once: the read that began after it has found it.
        state.read(lane, dueBy: until)
        state.didRead(lane, nextDue: nil)
        #expect(state.willRead(lane, at: start).through == start)
    }

    @Test("The end of a read brings back no lane that is not in memory any more, unless more of it is on disk")
    func droppedWhileReading() {
        // Before the first reads of all queues, a lane begins with the assumption that chunks are on disk.
        var state = DispatchState(capacity: 10) { _ in 10 }
        _ = state.willRead(lane, at: start)
        state.read(lane, dueBy: start)
        state.didRead(lane, nextDue: nil)
        #expect(state.lanesWithMore.isEmpty && !state.needsRefill(at: start))
        _ = state.willRead(lane, at: start)
        state.read(lane, dueBy: start, left: start)
        #expect(state.lanesWithMore == [lane] && state.needsRefill(at: start))
    }

    @Test("A chunk that is put off is read when it is due and not before")
    func putOff() throws {
        var state = state()
        state.enqueue(job(0))
        state.enqueue(job(1))
        _ = state.willRead(lane, at: start)
        state.read(lane, dueBy: start)
        state.didRead(lane, nextDue: nil)
        #expect(!state.shouldRead(lane, dueAt: start, at: later))
        let next = started(&state)
        state.finish(try #require(next), dueAt: later, at: start)
        #expect(!state.shouldRead(lane, dueAt: start, at: start))
        #expect(state.shouldRead(lane, dueAt: start, at: later))
    }

    @Test("A chunk that was read is not read again, but a chunk that returns to disk is")
    func readsOn() throws {
        var state = state()
        (0..<4).forEach { state.enqueue(job($0)) }
        #expect(state.willRead(lane, at: start) == (.distantPast, start))
        state.read(lane, dueBy: start)
        state.didRead(lane, nextDue: nil)
        #expect(state.willRead(lane, at: later) == (start, later))
        state.read(lane, dueBy: later)
        state.didRead(lane, nextDue: nil)
        let next = started(&state)
        // The clock may have been set back meanwhile.
        state.finish(try #require(next), dueAt: start.adding(.seconds(1)), at: start)
        #expect(state.willRead(lane, at: later) == (start.adding(.microseconds(999_999)), later))
    }

    @Test("A chunk that arrives while its lane is read keeps the marks of that time, and newer ones may overtake it")
    func arrival() throws {
        var state = state()
        state.enqueue(job(0))
        _ = state.willRead(lane, at: start)
        state.enqueue(job(1, targets: 2))
        state.marked(job(1).chunk.id, [1])
        state.marked(job(2).chunk.id, [0])
        let arrivals = state.diskRead(of: lane, dueBy: start, left: nil, at: start)
        #expect(arrivals.map(\.chunk.id.number) == [1])
        let (first, next) = (started(&state), started(&state))
        #expect(first?.mayBeOvertaken == false)
        let last = try #require(next)
        for job in arrivals + [last] {
            #expect(job.mayBeOvertaken && job.chunk.entries.map(\.isReplaced) == [false, true])
        }
    }

    @Test("A chunk without room in memory, or left by a failed commit, is read again")
    func readsAgain() {
        var state = state()
        state.enqueue(job(0))
        let justBefore = start.adding(.microseconds(-1))
        _ = state.willRead(lane, at: later)
        state.read(lane, dueBy: later, left: start)
        #expect(state.willRead(lane, at: later).after == justBefore)
        state.enqueue(job(1, targets: 9))
        state.enqueue(job(2))
        #expect(state.willRead(lane, at: later).after == justBefore)
        state.reserve(job(3).chunk.id, in: lane)
        state.forget(job(3).chunk.id, in: lane, dueAt: start)
        #expect(state.willRead(lane, at: later).after == justBefore)
    }
}

extension DispatchState {
    /// Queues a new job, at the start of the clock.
    mutating func enqueue(_ job: ChunkJob) { _ = enqueue(job, isNew: true, at: ManualClock.start) }

    fileprivate mutating func read(_ lane: Lane, dueBy time: Timestamp, left: Timestamp? = nil) {
        _ = diskRead(of: lane, dueBy: time, left: left, at: ManualClock.start)
    }
}
