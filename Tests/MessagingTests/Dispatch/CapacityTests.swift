import DocumentStore
import Foundation
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("The dispatcher's memory")
struct CapacityTests {
    private static func configuration(capacity: Int) -> Dispatcher.Configuration {
        var configuration = Dispatcher.Configuration()
        configuration.capacity = capacity
        return configuration
    }

    @Test("Chunks beyond the memory limit stay on disk and are sent from there once")
    func overflow() async throws {
        let bench = try Bench(configuration: Self.configuration(capacity: 50))
        var deliveries: [Delivery] = []
        for number in 0..<200 {
            let tokens = (0..<10).map { "m\(number)-\($0)" }
            deliveries.append(try await bench.outbox.accept(.sample(tokens: tokens)))
        }
        #expect(bench.targetsWaiting <= 60)
        let most = Mutex(0)
        try await bench.running {
            try await eventually("all are sent", advancing: bench.clock, by: .milliseconds(100)) {
                let waiting = bench.targetsWaiting
                most.withLock { $0 = max($0, waiting) }
                return bench.transport.sent.count >= 2_000
            }
            for delivery in deliveries { try await bench.settled(delivery) }
        }
        #expect(bench.transport.attempts.count == 2_000)
        #expect(bench.transport.attempts.values.allSatisfy { $0 == 1 })
        #expect(most.withLock { $0 } <= 60)
        try await eventually("nothing stays in memory") { bench.isIdle }
    }

    @Test("The dispatcher reads a backlog from disk without waiting for the next poll")
    func readsOn() async throws {
        let bench = try Bench(configuration: Self.configuration(capacity: 20))
        for number in 0..<300 { _ = try await bench.outbox.accept(.sample(tokens: ["t\(number)"])) }
        // The clock stands still, so no poll is ever due.
        try await bench.running {
            try await eventually("all are sent") { bench.transport.sent.count == 300 }
        }
    }

    @Test("A store that cannot be read is read again only after a pause")
    func unreadable() async throws {
        let bench = try Bench(configuration: Self.configuration(capacity: 1))
        let queries = Mutex(0)
        bench.dispatcher.lanes.caughtUp()
        bench.store.set { hooks in
            hooks.beforeQuery = { query throws(StoreError) in
                guard "\(query)".contains(OutboxDocuments.dueAt) else { return }
                queries.withLock { $0 += 1 }
                throw StoreError(.unavailable, "closed")
            }
        }
        for number in 0..<3 { _ = try await bench.outbox.accept(.sample(tokens: ["t\(number)"])) }
        try await bench.running {
            try await eventually("the chunk in memory is sent") { bench.transport.sent.count == 1 }
            try await eventually("the reader pauses") { !bench.clock.pendingSleeps.isEmpty }
            #expect(queries.withLock { $0 } < 10)
            bench.store.set { $0.beforeQuery = { _ in } }
            try await eventually("the rest is sent", advancing: bench.clock, by: .milliseconds(500)) {
                bench.transport.sent.count == 3
            }
        }
    }

    @Test("The bookkeeping of small chunks takes time in proportion to their number")
    func linear() {
        let small = time(jobs: 2_000)
        let large = time(jobs: 16_000)
        // Eight times the jobs take about eight times as long. Copying the queue at each step would take 64 times as
        // long.
        #expect(large < small * 30)
    }

    /// Returns the shortest processor time of three, in nanoseconds: other work on the machine does not count.
    private func time(jobs: Int) -> Int {
        let times = (0..<3).map { _ in
            let start = Self.processorTime
            drain(jobs: jobs)
            return Self.processorTime - start
        }
        return times.min() ?? 0
    }

    /// The processor time of this thread, in nanoseconds.
    private static var processorTime: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    private func drain(jobs: Int) {
        var state = DispatchState(capacity: jobs) { _ in 10 }
        state.caughtUp()
        let message = AcceptedMessage(
            id: "m", message: .sample(), source: "test", owner: "test", text: "{}",
            registrationFields: RegistrationFields(token: "token"),
            acceptedAt: ManualClock.start,
            expiresAt: ManualClock.start)
        for number in 0..<jobs {
            let chunk = Chunk(
                id: ChunkID(message: "m", number: number), isInMessage: false, lane: Lane(transport: .fcm),
                entries: [Chunk.Entry(registration: nil, state: .accepted)], attempts: 0, dueAt: ManualClock.start)
            state.enqueue(ChunkJob(chunk: chunk, message: message, delivery: nil))
        }
        while let (job, _) = state.next(at: ManualClock.start) { state.finish(job, dueAt: nil, at: ManualClock.start) }
        #expect(state.isIdle)
    }
}

extension Bench {
    var targetsWaiting: Int { dispatcher.lanes.targetsWaiting }
    var isIdle: Bool { dispatcher.lanes.isIdle }
}
