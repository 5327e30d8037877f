import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Waiting for first attempts", .timeLimit(.minutes(1)))
struct DeliveryTests {
    private let clock = ManualClock()
    private let delivery = Delivery(messageID: "m", targets: 2, chunks: 1)

    /// What a wait of ten seconds gives, after something that happens meanwhile.
    private func outcome(after happening: () -> Void) async throws -> DeliveryProgress {
        async let progress = delivery.firstAttempts(waiting: .seconds(10), clock: clock)
        try await eventually("it waits") { clock.pendingSleeps == [.seconds(10)] }
        happening()
        return await progress
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
        async let progress = delivery.progress(
            waiting: .seconds(10), forRetriesUntil: deadline, clock: clock)
        try await eventually("it waits") { clock.pendingSleeps == [.seconds(10)] }
        delivery.chunkPostponed(0, until: deadline)
        delivery.chunkStarted(0)
        delivery.update { $0.sent = 1 }
        delivery.chunkPostponed(0, until: deadline.adding(.microseconds(1)))
        #expect(await progress.sent == 1)
        #expect(clock.now.offset == .zero)
    }

    @Test("a wait for first attempts does not begin anew with the second attempt")
    func secondAttempt() async throws {
        delivery.chunkPostponed(0, until: nil)
        delivery.chunkStarted(0)
        #expect(await delivery.firstAttempts(waiting: .seconds(10), clock: clock).pending == 2)
    }
}
