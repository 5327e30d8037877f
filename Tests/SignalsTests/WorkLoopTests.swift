import Signals
import TestDoubles
import Testing

@Suite("Work loops", .timeLimit(.minutes(10)))
struct WorkLoopTests {
    private let clock = ManualClock()
    private let turns = Number()
    private let loop: WorkLoop

    init() { loop = WorkLoop(clock: clock) }

    /// Runs the loop while the body runs.
    private func running(
        _ turn: @escaping @Sendable () async -> WorkLoop.Pause, _ body: () async throws -> Void
    ) async throws {
        let task = Task { [loop, turns] in
            await loop.run {
                turns.increase()
                return await turn()
            }
        }
        defer { task.cancel() }
        try await body()
        task.cancel()
        await task.value
    }

    private func sleeping(for duration: Duration) async throws {
        try await eventually("a sleep of \(duration)") { clock.pendingSleeps == [duration] }
    }

    @Test("The first turn needs no work, and new work ends a pause that waits for it")
    func work() async throws {
        try await running {
            .untilWork(atMost: .seconds(60))
        } _: {
            try await sleeping(for: .seconds(60))
            #expect(turns.value == 1)
            loop.notify()
            try await eventually("a second turn") { turns.value == 2 }
            try await sleeping(for: .seconds(60))
            #expect(turns.value == 2)
        }
    }

    @Test("A pause that waits for work ends without work at its time limit")
    func timeLimit() async throws {
        try await running {
            .untilWork(atMost: .seconds(60))
        } _: {
            try await sleeping(for: .seconds(60))
            clock.advance(by: .seconds(60))
            try await eventually("a second turn") { turns.value == 2 }
        }
    }

    @Test("Work that arrives during a turn causes another turn")
    func workDuringTurn() async throws {
        try await running { [loop, turns] in
            if turns.value == 1 { loop.notify() }
            return .untilWork(atMost: .seconds(60))
        } _: {
            try await sleeping(for: .seconds(60))
            #expect(turns.value == 2)
        }
    }

    @Test("New work does not end a fixed pause")
    func fixedPause() async throws {
        try await running {
            .fixed(.seconds(5))
        } _: {
            try await sleeping(for: .seconds(5))
            loop.notify()
            for _ in 0..<100 { await Task.yield() }
            #expect(turns.value == 1)
            clock.advance(by: .seconds(5))
            try await eventually("a second turn") { turns.value == 2 }
        }
    }
}
