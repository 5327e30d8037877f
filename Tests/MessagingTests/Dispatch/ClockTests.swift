import DocumentStore
import Messaging
import Synchronization
import TestDoubles
import Testing

@Suite("A clock that is set back by a day")
struct ClockTests {
    /// The calendar of a machine, which can be wrong.
    private final class Calendar: Sendable {
        private let clock: ManualClock
        private let ahead = Mutex(Duration.seconds(86_400))

        init(_ clock: ManualClock) { self.clock = clock }

        var time: Timestamp { clock.timestamp.adding(ahead.withLock(\.self)) }
        func setRight() { ahead.withLock { $0 = .zero } }
    }

    @Test("A clock set back by a day does not delay a retry that is due in seconds")
    func whileRunning() async throws {
        let first = try Bench()
        let calendar = Calendar(first.clock)
        let bench = try Bench(ScriptedTransport { $0.attempt == 1 ? .busy : .accepted }, on: first) { calendar.time }
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["a"]))
            try await eventually("the chunk is put off") {
                try await bench.chunk(delivery.messageID)["attempts"] == .integer(1)
            }
            calendar.setRight()
            try await eventually("the notification is sent again", advancing: bench.clock, by: .seconds(1)) {
                try await bench.isSettled(delivery.messageID)
            }
        }
        #expect(bench.clock.timestamp < ManualClock.start.adding(.seconds(43_200)))
        #expect(bench.transport.sent.count == 2)
    }

    @Test("A clock set back by a day before a restart does not delay a retry")
    func beforeRestart() async throws {
        let first = try Bench()
        let calendar = Calendar(first.clock)
        let ahead = try Bench(ScriptedTransport { _ in .busy }, on: first) { calendar.time }
        var id = ""
        try await ahead.running {
            let delivery = try await ahead.outbox.accept(.sample(tokens: ["a"]))
            id = delivery.messageID
            try await eventually("the chunk is put off") { try await ahead.chunk(id)["attempts"] == .integer(1) }
        }
        calendar.setRight()
        let bench = try Bench(on: first)
        try await bench.running {
            try await eventually("the notification is sent again") { try await bench.isSettled(id) }
        }
        #expect(bench.transport.tokens == ["a"])
    }
}
