import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("A lane that its push service refuses")
struct LanePauseTests {
    /// A transport that refuses the key of the topic `bad` while the switch is on.
    private static func transport(_ isRefusing: Switch) -> ScriptedTransport {
        ScriptedTransport { sent in
            sent.message.lane.app.bundleID == "bad" && isRefusing.isOn ? .keyRefused : .accepted
        }
    }

    private final class Switch: Sendable {
        private let state = Mutex(true)
        var isOn: Bool { state.withLock(\.self) }
        func turnOff() { state.withLock { $0 = false } }
    }

    @Test("A refused lane keeps its messages, is probed with one notification, and resumes when accepted")
    func pauseAndResume() async throws {
        let isRefusing = Switch()
        let bench = try Bench(Self.transport(isRefusing))
        try await bench.running {
            let first = try await bench.outbox.accept(.sample(tokens: ["a"], topic: "bad"))
            try await eventually("the lane is held up") {
                bench.log.lines.contains { $0.contains("the push service refuses its app") }
            }
            let more = try await bench.outbox.accept(
                .sample(tokens: (0..<20).map { "m\($0)" }, topic: "bad"))
            let other = try await bench.outbox.accept(.sample(tokens: ["o"], topic: "good"))
            try await bench.settled(other)
            try await eventually("the lane is tried again", advancing: bench.clock, by: .milliseconds(500)) {
                bench.log.lines.filter { $0.contains("the push service refuses its app") }.count == 3
            }
            // The pauses are 5 s and then 10 s.
            #expect(bench.clock.timestamp >= ManualClock.start.adding(.seconds(15)))
            #expect(bench.clock.timestamp < ManualClock.start.adding(.seconds(30)))
            for delivery in [first, more] {
                #expect(try await bench.chunk(delivery.messageID)["attempts"] == .integer(0))
                #expect(delivery.progress.sent == 0)
            }
            isRefusing.turnOff()
            try await eventually("all messages are sent", advancing: bench.clock, by: .seconds(1)) {
                let settled = try await bench.isSettled(first.messageID)
                return try await bench.isSettled(more.messageID) && settled
            }
        }
        let bad = bench.transport.sent.filter { $0.message.lane.app.bundleID == "bad" }
        #expect(bad.count == 3 + 21)
        #expect(bench.log.lines.filter { $0.hasPrefix("notice resumed a lane") }.count == 1)
    }

    /// Sends a notification that is refused, and waits until it is put off.
    private func holdUp(_ bench: Bench) async throws -> Delivery {
        let delivery = try await bench.outbox.accept(.sample(tokens: ["a"], topic: "bad"))
        try await bench.refused(delivery)
        return delivery
    }

    @Test("A refused lane resumes at once on resumeAll")
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

    @Test("A refused lane is probed with one notification of a large chunk")
    func oneProbe() async throws {
        let isRefusing = Switch()
        let bench = try Bench(Self.transport(isRefusing))
        try await bench.running {
            let delivery = try await bench.outbox.accept(
                .sample(tokens: (0..<500).map { "t\($0)" }, topic: "bad"))
            try await bench.refused(delivery)
            // Only the window of requests sent before the first answer.
            let atFirst = bench.transport.sent.count
            #expect(atFirst <= 100)
            try await eventually("the lane is tried again", advancing: bench.clock, by: .milliseconds(500)) {
                bench.transport.sent.count > atFirst
            }
            try await eventually("the second refusal is stored") {
                bench.log.lines.filter { $0.contains("the push service refuses its app") }.count == 2
            }
            #expect(bench.transport.sent.count == atFirst + 1)
        }
    }

    @Test("An app that is held up has the reason, its beginning and the messages that wait, until it is accepted again")
    func heldApp() async throws {
        let isRefusing = Switch()
        let bench = try Bench(Self.transport(isRefusing))
        try await bench.running {
            #expect(bench.dispatcher.heldApps.isEmpty)
            let first = try await holdUp(bench)
            let second = try await bench.outbox.accept(.sample(tokens: (0..<3).map { "m\($0)" }, topic: "bad"))
            let app = try #require(bench.dispatcher.heldApps.first)
            #expect(bench.dispatcher.heldApps.count == 1)
            #expect(app.name == "bad" && app.isRefused && app.failure.reason == "InvalidProviderToken")
            #expect(app.since >= ManualClock.start && app.nextAttempt > app.since)
            #expect(app.holds(Lane(transport: .fcm, app: AppIdentity(bundleID: "bad"))))
            #expect(!app.holds(Lane(transport: .fcm, app: AppIdentity(bundleID: "good"))))
            let waiting = try await bench.dispatcher.messagesWaiting(for: app)
            #expect(waiting == WaitingMessages(count: 2, isExact: true))
            isRefusing.turnOff()
            for delivery in [first, second] {
                try await eventually("all are sent", advancing: bench.clock, by: .seconds(1)) {
                    try await bench.isSettled(delivery.messageID)
                }
            }
            #expect(bench.dispatcher.heldApps.isEmpty)
        }
    }

    @Test("The pause of an idle lane is forgotten a minute after its end, and not while the lane has chunks")
    func forgotten() {
        var state = DispatchState(capacity: 100) { _ in 10 }
        state.caughtUp()
        let chunk = Chunk(
            id: ChunkID(message: "m", number: 0), isInMessage: false,
            lane: Lane(transport: .apns, app: AppIdentity(bundleID: "bad")),
            entries: [Chunk.Entry(registration: nil, state: .pending)], attempts: 0, dueAt: ManualClock.start)
        let message = AcceptedMessage(
            id: "m", message: .sample(), source: "test", owner: "test", text: "{}",
            registrationFields: RegistrationFields(token: "token"),
            acceptedAt: ManualClock.start, expiresAt: ManualClock.start)
        let job = ChunkJob(chunk: chunk, message: message, delivery: nil)
        state.enqueue(job)
        _ = state.next(at: ManualClock.start)
        let until = state.pause(job, .ofLane(.refused), at: ManualClock.start)?.until
        #expect(until == ManualClock.start.adding(.seconds(5)))
        let late = ManualClock.start.adding(.seconds(66))
        state.forgetPauses(at: late)
        #expect(state.pausedUntil(chunk.lane) == until)
        state.finish(job, dueAt: until, at: ManualClock.start)
        state.forgetPauses(at: ManualClock.start.adding(.seconds(65)))
        #expect(state.pausedUntil(chunk.lane) == until)
        state.forgetPauses(at: late)
        #expect(state.pausedUntil(chunk.lane) == nil)
    }

    @Test(
        "The pause of a lane grows with each failure and follows Retry-After up to an hour",
        arguments: [
            (LaneFailure.refused, [5, 10, 20, 40, 80, 160, 300, 300]), (.unreachable, [1, 2, 4, 8, 16, 32, 60, 60]),
        ])
    func delays(trouble: LaneFailure, expected: [Int64]) {
        var pause = LanePause()
        var now = ManualClock.start
        for seconds in expected {
            pause.failed(.ofLane(trouble), at: now)
            #expect(pause.until == now.adding(.seconds(seconds)))
            now = pause.until
        }
        for (asked, granted) in [(3_599, 3_599), (3_601, 3_600), (Int64.max, 3_600)] {
            pause.failed(.ofLane(trouble, retryAfter: .seconds(asked)), at: now)
            #expect(pause.until == now.adding(.seconds(granted)))
        }
    }

    @Test("A message that waited for its lane is prepared when it starts")
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

extension Bench {
    /// Waits until the refusal of a message is stored.
    fileprivate func refused(_ delivery: Delivery) async throws {
        try await eventually("the refusal is stored") {
            try await chunk(delivery.messageID).targets.contains { $0["failures"] != nil }
        }
    }
}

extension Outcome {
    fileprivate static let keyRefused = Outcome.failed(
        Failure(code: .thirdPartyAuthError, reason: "InvalidProviderToken", laneFailure: .refused))
}
