import DocumentStore
import Messaging
import TestDoubles
import Testing

@Suite("Outcomes of targets")
struct OutcomeTests {
    private static let script: ScriptedTransport.Script = { sent in
        switch sent.token {
        case "dead": .dead
        case "refused": .refused
        case "busy": .busy
        default: .accepted
        }
    }

    @Test("Each target is accepted, rejected or left for a retry, and counted accordingly")
    func threeOutcomes() async throws {
        let bench = try Bench(ScriptedTransport(Self.script))
        let dead = try await bench.register("phone", token: "dead")
        try await bench.running {
            let targets = Multicast.sample(tokens: ["good", "refused", "busy", "good2"]).targets
            let delivery = try await bench.outbox.accept(.sample(targets + [dead]))
            try await eventually("the attempt is over") { delivery.progress.pending == 1 }
            let progress = delivery.progress
            #expect(progress.attempted == 5)
            #expect(progress.sent == 2)
            #expect(progress.pruned == 1)
            #expect(
                progress.errors == [
                    .registrationTokenNotRegistered: 1, .invalidArgument: 1, .serverUnavailable: 1,
                ])
            let chunk = try await bench.chunk(delivery.messageID)
            let now = Value.timestamp(bench.clock.timestamp)
            let failure: Fields = ["at": now, "code": "server-unavailable", "reason": "ServiceUnavailable"]
            #expect(
                chunk["targets"]
                    == .array([
                        .map(["state": "accepted", "at": now]),
                        .map(["state": "rejected", "code": "invalid-argument", "reason": "BadTopic", "at": now]),
                        .map(["state": "pending", "token": "busy", "failures": .array([.map(failure)])]),
                        .map(["state": "accepted", "at": now]),
                        .map([
                            "state": "rejected", "code": "registration-token-not-registered", "reason": "Unregistered",
                            "device": "phone", "at": now,
                        ]),
                    ]))
            #expect(chunk["attempts"] == .integer(1))
            #expect(chunk["settledAt"] == nil)
        }
    }

    @Test("A settled chunk is never due again and contains no token")
    func settled() async throws {
        let bench = try Bench(ScriptedTransport(Self.script))
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["good", "refused", "dead"]))
            try await bench.settled(delivery)
            let chunk = try await bench.chunk(delivery.messageID)
            #expect(chunk["settledAt"] == .timestamp(bench.clock.timestamp))
            #expect(chunk["dueAt"] == nil)
            #expect(chunk.targets.allSatisfy { $0["token"] == nil && $0["registration"] == nil })
            let progress = try await delivery.progress(waiting: .seconds(60))
            #expect(progress.pending == 0)
            bench.clock.advance(by: .seconds(7_200))
            try await bench.settled(try await bench.outbox.accept(.sample(tokens: ["next"])))
        }
        #expect(bench.transport.tokens.sorted() == ["dead", "good", "next", "refused"])
    }

    @Test("A message is prepared once per chunk and carries its expiration in seconds since 1970")
    func prepared() async throws {
        let bench = try Bench()
        try await bench.running {
            let tokens = (0..<30).map { "t\($0)" }
            try await bench.settled(try await bench.outbox.accept(.sample(tokens: tokens, topic: "com.example")))
        }
        #expect(bench.transport.prepared == 1)
        let sent = try #require(bench.transport.sent.first)
        #expect(sent.message.expiration == ManualClock.start.seconds + 86_400)
        #expect(sent.message.lane == Lane(transport: .fcm, app: AppIdentity(bundleID: "com.example")))
        #expect(sent.message.message == .sample())
        #expect(Set(bench.transport.sent.map(\.id)).count == 30)
    }

    @Test("A lane never has more notifications in flight than the transport's window", arguments: [1, 7, 50])
    func window(window: Int) async throws {
        let transport = ScriptedTransport(window: window) { _ in
            for _ in 0..<3 { await Task.yield() }
            return .accepted
        }
        let bench = try Bench(transport)
        try await bench.running {
            let deliveries = [
                try await bench.outbox.accept(.sample(tokens: (0..<60).map { "a\($0)" })),
                try await bench.outbox.accept(.sample(tokens: (0..<60).map { "b\($0)" })),
                try await bench.outbox.accept(.sample(tokens: ["c"])),
            ]
            for delivery in deliveries { try await bench.settled(delivery) }
        }
        #expect(transport.sent.count == 121)
        #expect(transport.mostUnderWay(in: Lane(transport: .fcm)) <= window)
        #expect(window == 1 || transport.mostUnderWay(in: Lane(transport: .fcm)) > 1)
    }

    @Test("A target without a transport is rejected and keeps its registration")
    func unroutable() async throws {
        let bench = try Bench()
        let dispatcher = Dispatcher(
            store: bench.store, transports: TransportTable([.apns: bench.transport]), clock: bench.clock,
            now: { bench.clock.timestamp }, logger: bench.log.logger)
        let outbox = Outbox(store: bench.store, dispatcher: dispatcher, now: { bench.clock.timestamp })
        let target = try await bench.register("phone", token: "made-by-fcm")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await dispatcher.run() }
            defer { group.cancelAll() }
            let delivery = try await outbox.accept(.sample([target]))
            try await bench.settled(delivery)
            #expect(delivery.progress.errors == [.mismatchedCredential: 1])
        }
        #expect(try await bench.exists(target))
        #expect(bench.transport.sent.isEmpty)
    }
}
