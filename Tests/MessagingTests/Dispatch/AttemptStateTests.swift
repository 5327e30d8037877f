import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("The state of an attempt at a chunk")
struct AttemptStateTests {
    private let unreachable = Outcome.failed(
        Failure(code: .serverUnavailable, reason: "Closed", laneFailure: .unreachable))

    private func job(_ tokens: [String], isProbe: Bool = false) -> ChunkJob {
        var job = ChunkJob(chunk: .sample(of: "m", to: tokens), message: .sample(id: "m"), delivery: nil)
        job.isProbe = isProbe
        return job
    }

    @Test("Only one sender at a time gives out targets, each once, and the last outcome ends the attempt")
    func oneSender() {
        var state = AttemptState(job(["a", "b"]), at: ManualClock.start)
        let first = state.begin()
        let other = state.begin()
        let second = state.goOn()
        let third = state.goOn()
        #expect([first.index, other.index, second.index, third.index] == [0, nil, 1, nil])
        state.answer(first)
        let early = state.begin()
        #expect(early.results == nil && !state.isOver)
        state.answer(second)
        let end = state.begin()
        #expect(end.results?.sent == 2 && state.isOver)
        let after = state.begin()
        #expect(after.index == nil && after.results == nil)
    }

    @Test("Targets that newer messages replace, and those that the push service does not take yet, are left out")
    func untried() {
        var job = job(["a", "b", "c", "d", "e"])
        job.chunk.replace([0, 2])
        job.chunk.entries[3].notBefore = ManualClock.start.adding(.seconds(1))
        func positions(at time: Timestamp) -> [Int] {
            var (targets, positions) = (UntriedTargets(of: job.chunk, at: time), [Int]())
            while let (index, target) = targets.popFirst() {
                #expect(target == job.chunk.entries[index].target)
                positions.append(index)
            }
            return positions
        }
        #expect(positions(at: ManualClock.start) == [1, 4])
        #expect(positions(at: ManualClock.start.adding(.seconds(1))) == [1, 3, 4])
        var none = UntriedTargets()
        let first = none.popFirst()
        #expect(first == nil)
    }

    @Test("A probe is sent alone, and its outcome shows once that the lane works again")
    func probe() {
        var state = AttemptState(job(["a", "b"], isProbe: true), at: ManualClock.start)
        let probe = state.begin()
        let early = state.goOn()
        #expect([probe.index, early.index] == [0, nil])
        let isOpen = state.answer(probe)
        let next = state.begin()
        let isOpenAgain = state.answer(next)
        #expect(next.index == 1)
        #expect(isOpen && !isOpenAgain)
    }

    @Test("A failure of the lane ends the attempt without the other targets")
    func laneFailure() {
        var state = AttemptState(job(["a", "b"], isProbe: true), at: ManualClock.start)
        let probe = state.begin()
        let isOpen = state.answer(probe, unreachable)
        #expect(!isOpen && state.isCutShort)
        let end = state.goOn()
        #expect(end.results?.laneFailure?.laneFailure == .unreachable)
        #expect(end.results?.chunk.entries.map(\.state) == [.pending, .pending])
        #expect(end.results?.isAbandoned == false)
    }

    @Test("An attempt that is given up waits for the targets in flight, and gives out no other")
    func abandoned() {
        var state = AttemptState(job(["a", "b", "c"]), at: ManualClock.start)
        let first = state.begin()
        _ = state.goOn()
        state.abandon()
        let early = state.goOn()
        #expect(early.index == nil && early.results == nil)
        state.answer(first)
        let end = state.begin()
        #expect(end.results?.isAbandoned == true)
        #expect(end.results?.chunk.entries.map(\.state) == [.accepted, .pending, .pending])
    }

    @Test("The last batch of outcomes waits for the one that is being stored")
    func storing() {
        var state = AttemptState(job(["a", "b"]), at: ManualClock.start)
        let nothing = state.checkpoint()
        #expect(nothing == nil)
        let first = state.begin()
        let second = state.goOn()
        _ = state.goOn()
        state.answer(first)
        let batch = state.checkpoint()
        #expect(batch?.sent == 1)
        state.answer(second)
        let early = state.checkpoint()
        let end = state.begin()
        #expect(early == nil && end.results == nil && state.isOver)
        let last = state.stored()
        #expect(last?.sent == 1)
        #expect(last?.chunk.entries.map(\.state) == [.accepted, .accepted])
    }

    @Test("After a batch was stored the next outcomes are a batch of their own")
    func nextBatch() {
        var state = AttemptState(job(["a", "b"]), at: ManualClock.start)
        let first = state.begin()
        let second = state.goOn()
        state.answer(first)
        _ = state.checkpoint()
        let last = state.stored()
        let nothing = state.checkpoint()
        #expect(last == nil && nothing == nil)
        state.answer(second)
        let batch = state.checkpoint()
        #expect(batch?.sent == 1 && !state.isOver)
    }

    @Test("Targets of an expired message are rejected, and replaced ones superseded, without being given out")
    func settledAtOnce() {
        var job = job(["a", "b"])
        job.chunk.replace([0])
        var state = AttemptState(job, at: job.message.expiresAt)
        let end = state.begin()
        #expect(end.results?.superseded == 1)
        #expect(end.results?.rejections == [.serverUnavailable: 1])
        #expect(end.results?.chunk.isSettled == true)
    }
}

extension AttemptState.Step {
    /// The position of the target that is to be sent to.
    fileprivate var index: Int? { if case .send(let index, _) = self { index } else { nil } }

    /// The last batch.
    fileprivate var results: AttemptResults? { if case .end(let results) = self { results } else { nil } }
}

extension AttemptState {
    /// Records the outcome of a target that was given out.
    ///
    /// - Returns: `true` if it shows that the lane works again.
    @discardableResult
    fileprivate mutating func answer(_ step: Step, _ outcome: Outcome = .accepted) -> Bool {
        guard case .send(let index, let target) = step else { return false }
        return record(outcome, for: target, at: index, isSuperseded: false, now: ManualClock.start)
    }
}
