import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Waiting for first attempts", .timeLimit(.minutes(10)))
struct DeliveryTests {
    private let clock = ManualClock()
    private let deadlines: Deadlines
    private let delivery: Delivery

    init() {
        deadlines = Deadlines(clock: clock)
        delivery = Delivery(targets: 2, deadlines)
        delivery.commitEnded(.success(()))
    }

    /// Returns the progress of a wait of ten seconds during which `happening` runs.
    private func outcome(after happening: () -> Void) async throws -> DeliveryProgress {
        async let _: Void = deadlines.run()
        async let progress = delivery.firstAttempts(waiting: .seconds(10))
        try await eventually("the caller waits") { clock.pendingSleeps == [Deadlines.tick] }
        happening()
        return try await progress
    }

    @Test("A wait for first attempts ends when the first attempt fails, before any retry")
    func failure() async throws {
        let progress = try await outcome {
            delivery.update { $0.failures[0] = [.serverUnavailable: 1] }
            delivery.chunkPostponed(0, until: ManualClock.start)
        }
        #expect(progress.pending == 2 && progress.errors == [.serverUnavailable: 1])
        #expect(clock.now.offset == .zero)
    }

    @Test("A wait for first attempts ends when all targets have settled")
    func settled() async throws {
        let progress = try await outcome {
            delivery.update { $0.sent = 2 }
            delivery.chunkSettled(0)
        }
        #expect(progress.sent == 2 && progress.pending == 0)
        #expect(clock.now.offset == .zero)
    }

    @Test("A wait for first attempts does not end with one accepted target but at its time limit")
    func bound() async throws {
        let progress = try await outcome {
            delivery.update { $0.sent = 1 }
            clock.advance(by: .seconds(10))
        }
        #expect(progress.sent == 1 && progress.pending == 1)
    }

    @Test("A wait for retries continues while a retry is due in time and ends when none is")
    func retries() async throws {
        let deadline = ManualClock.start.adding(.seconds(10))
        async let _: Void = deadlines.run()
        async let progress = delivery.progress(waiting: .seconds(10), forRetriesUntil: deadline)
        try await eventually("the caller waits") { clock.pendingSleeps == [Deadlines.tick] }
        delivery.chunkPostponed(0, until: deadline)
        delivery.chunkStarted(0)
        delivery.update { $0.sent = 1 }
        delivery.chunkPostponed(0, until: deadline.adding(.microseconds(1)))
        #expect(try await progress.sent == 1)
        #expect(clock.now.offset == .zero)
    }

    @Test("A wait for first attempts ends at once during the second attempt")
    func secondAttempt() async throws {
        delivery.chunkPostponed(0, until: nil)
        delivery.chunkStarted(0)
        #expect(try await delivery.firstAttempts(waiting: .seconds(10)).pending == 2)
    }

    @Test("A wait does not end before the message is stored")
    func acceptance() async throws {
        let delivery = Delivery(targets: 1, deadlines)
        async let progress = delivery.firstAttempts(waiting: .zero)
        for _ in 0..<100 { await Task.yield() }
        delivery.update { $0.sent = 1 }
        delivery.commitEnded(.success(()))
        #expect(try await progress.sent == 1)
    }

    @Test("A wait throws if the message could not be stored")
    func refusal() async throws {
        let delivery = Delivery(targets: 1, deadlines)
        delivery.commitEnded(.failure(.diskFull))
        await #expect(throws: StoreError.self) { try await delivery.firstAttempts(waiting: .seconds(10)) }
        await #expect(throws: StoreError.self) { try await delivery.progress(waiting: .seconds(10)) }
    }

    @Test("A wait ends when the deadlines stop")
    func endOfDeadlines() async throws {
        let running = Task { await deadlines.run() }
        async let progress = delivery.firstAttempts(waiting: .seconds(10))
        try await eventually("the caller waits") { clock.pendingSleeps == [Deadlines.tick] }
        running.cancel()
        #expect(try await progress.pending == 2)
    }
}

extension Delivery {
    /// Creates the delivery of a message with one chunk.
    fileprivate convenience init(targets: Int, _ deadlines: Deadlines) {
        self.init(messageID: "m", deadlines: deadlines)
        let targets = (0..<targets).map { Target(address: PushAddress(token: "t\($0)"), registration: nil) }
        added(Chunking.chunks(of: targets, message: "m", dueAt: ManualClock.start))
    }
}
