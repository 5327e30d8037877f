import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("A lane that its push service refuses as a whole")
struct LanePauseTests {
    /// A transport that refuses the key of the topic `bad` for as long as the switch is on.
    private static func transport(_ isRefusing: Switch) -> ScriptedTransport {
        ScriptedTransport { sent in
            sent.message.lane.topic == "bad" && isRefusing.isOn ? .keyRefused : .accepted
        }
    }

    private final class Switch: Sendable {
        private let state = Mutex(true)
        var isOn: Bool { state.withLock(\.self) }
        func turnOff() { state.withLock { $0 = false } }
    }

    @Test("keeps its messages, is tried with one notification now and then, and goes on when it is taken again")
    func pauseAndResume() async throws {
        let isRefusing = Switch()
        let bench = try Bench(Self.transport(isRefusing))
        try await bench.running {
            let first = try await bench.outbox.accept(.sample(tokens: ["a"], topic: "bad"))
            try await eventually("the lane is held up") {
                bench.log.lines.contains { $0.contains("refuses everything") }
            }
            let more = try await bench.outbox.accept(
                .sample(tokens: (0..<20).map { "m\($0)" }, topic: "bad"))
            let other = try await bench.outbox.accept(.sample(tokens: ["o"], topic: "good"))
            try await bench.settled(other)
            try await eventually("it is tried again", advancing: bench.clock, by: .milliseconds(500)) {
                bench.transport.sent.filter { $0.message.lane.topic == "bad" }.count == 3
            }
            // After 5 s, and 10 more.
            #expect(bench.clock.timestamp >= ManualClock.start.adding(.seconds(15)))
            #expect(bench.clock.timestamp < ManualClock.start.adding(.seconds(30)))
            for delivery in [first, more] {
                #expect(try await bench.chunk(delivery.messageID)["attempts"] == .integer(0))
                #expect(delivery.progress.sent == 0)
            }
            isRefusing.turnOff()
            try await eventually("all of it is sent", advancing: bench.clock, by: .seconds(1)) {
                let settled = try await bench.isSettled(first.messageID)
                return try await bench.isSettled(more.messageID) && settled
            }
        }
        let bad = bench.transport.sent.filter { $0.message.lane.topic == "bad" }
        #expect(bad.count == 3 + 21)
        #expect(bench.log.lines.filter { $0.hasPrefix("notice a push service takes") }.count == 1)
    }

    /// Sends one that is refused, and waits until it is put off.
    private func holdUp(_ bench: Bench) async throws -> Delivery {
        let delivery = try await bench.outbox.accept(.sample(tokens: ["a"], topic: "bad"))
        try await eventually("it is put off") {
            try await bench.chunk(delivery.messageID)["dueAt"] == .timestamp(ManualClock.start.adding(.seconds(5)))
        }
        return delivery
    }

    @Test("goes on at once, before its time, when it is told that what held it up has been put right")
    func resumeAll() async throws {
        let isRefusing = Switch()
        let bench = try Bench(Self.transport(isRefusing))
        try await bench.running {
            let first = try await holdUp(bench)
            let second = try await bench.outbox.accept(.sample(tokens: ["b"], topic: "bad"))
            isRefusing.turnOff()
            bench.dispatcher.resumeAll()
            try await bench.settled(first)
            try await bench.settled(second)
            #expect(bench.clock.timestamp == ManualClock.start)
        }
    }

    @Test("is not tried with all of a large chunk at once")
    func oneProbe() async throws {
        let isRefusing = Switch()
        let bench = try Bench(Self.transport(isRefusing))
        try await bench.running {
            let delivery = try await bench.outbox.accept(
                .sample(tokens: (0..<500).map { "t\($0)" }, topic: "bad"))
            try await eventually("the first pass is over") {
                try await bench.chunk(delivery.messageID)["dueAt"] != .timestamp(ManualClock.start)
            }
            // The window of requests that had left before the first answer, and no more.
            let atFirst = bench.transport.sent.count
            #expect(atFirst <= 100)
            try await eventually("it is tried again", advancing: bench.clock, by: .milliseconds(500)) {
                bench.transport.sent.count > atFirst
            }
            try await eventually("the second refusal is stored") {
                bench.log.lines.filter { $0.contains("refuses everything") }.count == 2
            }
            #expect(bench.transport.sent.count == atFirst + 1)
        }
    }

    @Test("is forgotten a minute after its pause when it has nothing to send, and not while it has")
    func forgotten() {
        var state = DispatchState(capacity: 100) { _ in 10 }
        let chunk = Chunk(
            id: ChunkID(message: "m", number: 0), isInMessage: false, lane: Lane(transport: .apns, topic: "bad"),
            entries: [Chunk.Entry(registration: nil, state: .pending)], attempts: 0, dueAt: ManualClock.start)
        let message = AcceptedMessage(
            id: "m", message: .sample(), source: "test", owner: "test", text: "{}",
            registrationFields: RegistrationFields(token: "token"),
            acceptedAt: ManualClock.start, expiresAt: ManualClock.start)
        let job = Job(chunk: chunk, message: message, delivery: nil)
        state.enqueue(job)
        _ = state.next(at: ManualClock.start)
        let until = state.pause(job, .refused, at: ManualClock.start, retryAfter: nil)
        #expect(until == ManualClock.start.adding(.seconds(5)))
        let late = ManualClock.start.adding(.seconds(66))
        state.forgetPauses(at: late)
        #expect(state.pausedUntil(chunk.lane) == until)
        state.finish(job, dueAt: until)
        state.forgetPauses(at: ManualClock.start.adding(.seconds(65)))
        #expect(state.pausedUntil(chunk.lane) == until)
        state.forgetPauses(at: late)
        #expect(state.pausedUntil(chunk.lane) == nil)
    }

    @Test(
        "waits longer each time, and for as long as the service asks, up to an hour",
        arguments: [
            (LaneTrouble.refused, [5, 10, 20, 40, 80, 160, 300, 300]), (.unreachable, [1, 2, 4, 8, 16, 32, 60, 60]),
        ])
    func delays(trouble: LaneTrouble, expected: [Int64]) {
        var pause = LanePause()
        var now = ManualClock.start
        for seconds in expected {
            pause.failed(trouble, at: now, retryAfter: nil)
            #expect(pause.until == now.adding(.seconds(seconds)))
            now = pause.until
        }
        for (asked, granted) in [(3_599, 3_599), (3_601, 3_600), (Int64.max, 3_600)] {
            pause.failed(trouble, at: now, retryAfter: .seconds(asked))
            #expect(pause.until == now.adding(.seconds(granted)))
        }
    }

    @Test("what waited is made ready when it starts, with what holds then")
    func madeReadyLate() async throws {
        let isRefusing = Switch()
        let bench = try Bench(Self.transport(isRefusing))
        try await bench.running {
            let first = try await holdUp(bench)
            let second = try await bench.outbox.accept(.sample(tokens: ["b"], topic: "bad"))
            let before = bench.transport.prepared
            isRefusing.turnOff()
            bench.dispatcher.resumeAll()
            try await bench.settled(first)
            try await bench.settled(second)
            #expect(bench.transport.prepared == before + 2)
        }
    }
}

extension Outcome {
    fileprivate static let keyRefused = Outcome.failed(
        Failure(code: .thirdPartyAuthError, reason: "InvalidProviderToken", laneTrouble: .refused))
}
