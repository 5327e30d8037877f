import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Waiting for first attempts", .timeLimit(.minutes(1)))
struct DeliveryTests {
    private let clock = ManualClock()
    private let deadlines: Deadlines
    private let delivery: Delivery

    init() {
        deadlines = Deadlines(clock: clock)
        delivery = Delivery(targets: 2, deadlines)
        delivery.commitEnded(.success(()))
    }

    /// What a wait of ten seconds gives, after something that happens meanwhile.
    private func outcome(after happening: () -> Void) async throws -> DeliveryProgress {
        async let _: Void = deadlines.run()
        async let progress = delivery.firstAttempts(waiting: .seconds(10))
        try await eventually("it waits") { clock.pendingSleeps == [Deadlines.tick] }
        happening()
        return try await progress
    }

    @Test("ends when the first attempt is over: what follows is a matter of retries")
    func failure() async throws {
        let progress = try await outcome {
            delivery.update { $0.failures[0] = [.serverUnavailable: 1] }
            delivery.chunkPostponed(0, until: ManualClock.start)
        }
        #expect(progress.pending == 2 && progress.errors == [.serverUnavailable: 1])
        #expect(clock.now.offset == .zero)
    }

    @Test("ends when everything has settled")
    func settled() async throws {
        let progress = try await outcome {
            delivery.update { $0.sent = 2 }
            delivery.chunkSettled(0)
        }
        #expect(progress.sent == 2 && progress.pending == 0)
        #expect(clock.now.offset == .zero)
    }

    @Test("does not end with one that was taken, but at its bound")
    func bound() async throws {
        let progress = try await outcome {
            delivery.update { $0.sent = 1 }
            clock.advance(by: .seconds(10))
        }
        #expect(progress.sent == 1 && progress.pending == 1)
    }

    @Test("a wait for retries goes on while one is due in time, and ends when none is")
    func retries() async throws {
        let deadline = ManualClock.start.adding(.seconds(10))
        async let _: Void = deadlines.run()
        async let progress = delivery.progress(waiting: .seconds(10), forRetriesUntil: deadline)
        try await eventually("it waits") { clock.pendingSleeps == [Deadlines.tick] }
        delivery.chunkPostponed(0, until: deadline)
        delivery.chunkStarted(0)
        delivery.update { $0.sent = 1 }
        delivery.chunkPostponed(0, until: deadline.adding(.microseconds(1)))
        #expect(try await progress.sent == 1)
        #expect(clock.now.offset == .zero)
    }

    @Test("a wait for first attempts does not begin anew with the second attempt")
    func secondAttempt() async throws {
        delivery.chunkPostponed(0, until: nil)
        delivery.chunkStarted(0)
        #expect(try await delivery.firstAttempts(waiting: .seconds(10)).pending == 2)
    }

    @Test("no wait ends before the message is on the disk")
    func acceptance() async throws {
        let delivery = Delivery(targets: 1, deadlines)
        async let progress = delivery.firstAttempts(waiting: .zero)
        for _ in 0..<100 { await Task.yield() }
        delivery.update { $0.sent = 1 }
        delivery.commitEnded(.success(()))
        #expect(try await progress.sent == 1)
    }

    @Test("a message that could not be stored ends every wait, and throws")
    func refusal() async throws {
        let delivery = Delivery(targets: 1, deadlines)
        delivery.commitEnded(.failure(.diskFull))
        await #expect(throws: StoreError.self) { try await delivery.firstAttempts(waiting: .seconds(10)) }
        await #expect(throws: StoreError.self) { try await delivery.progress(waiting: .seconds(10)) }
    }

    @Test("the end of the deadlines ends a wait")
    func endOfDeadlines() async throws {
        let running = Task { await deadlines.run() }
        async let progress = delivery.firstAttempts(waiting: .seconds(10))
        try await eventually("it waits") { clock.pendingSleeps == [Deadlines.tick] }
        running.cancel()
        #expect(try await progress.pending == 2)
    }
}

extension Delivery {
    /// One of a message in one chunk.
    fileprivate convenience init(targets: Int, _ deadlines: Deadlines) {
        self.init(messageID: "m", deadlines: deadlines)
        let targets = (0..<targets).map { Target(address: Address(token: "t\($0)"), registration: nil) }
        added(Chunking.chunks(of: targets, message: "m", dueAt: ManualClock.start))
    }
}
