import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("A message that expires")
struct ExpiryTests {
    private func target(_ token: String) -> Target {
        Target(address: PushAddress(token: token), registration: nil)
    }

    /// Expects a message to have been given up for its only device.
    private func expectExpired(_ delivery: Delivery, on bench: Bench) async throws {
        let record = try await DeliveryHistory(store: bench.disk.documents).delivery(of: delivery.messageID)
        #expect(record?.notifications.map(\.state) == [.rejected(.serverUnavailable, reason: "Expired")])
    }

    @Test("It is not sent if its time has passed when it is accepted")
    func atOnce() async throws {
        let bench = try Bench()
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(lifetime: .zero), to: [target("a")])
            try await bench.settled(delivery)
            try await expectExpired(delivery, on: bench)
        }
        #expect(bench.transport.sent.isEmpty)
    }

    @Test("It is retried until its time, and not after it, also if that is seconds ahead")
    func retries() async throws {
        let bench = try Bench(ScriptedTransport { _ in .busy })
        try await bench.running {
            let start = bench.clock.timestamp
            let delivery = try await bench.outbox.accept(.sample(lifetime: .seconds(3)), to: [target("a")])
            try await eventually("the failure is stored") {
                try await bench.chunk(delivery.messageID).targets.contains { $0["failures"] != nil }
            }
            bench.clock.advance(by: .seconds(2))
            try await eventually("it is retried") { bench.transport.sent.count == 2 }
            try await eventually("it settles", advancing: bench.clock, by: .milliseconds(100)) {
                try await bench.isSettled(delivery.messageID)
            }
            try await expectExpired(delivery, on: bench)
            #expect(bench.clock.timestamp >= start.adding(.seconds(3)))
        }
        // A third attempt would be after 4 s more.
        #expect(bench.transport.sent.count == 2)
    }

    @Test("It is not sent if its time passes while it waits for a free slot")
    func withoutSlot() async throws {
        let gate = Gate()
        let script = ScriptedTransport(window: 1) { sent in
            if sent.token == "a" { await gate.pass() }
            return .accepted
        }
        let bench = try Bench(script)
        try await bench.running {
            let first = try await bench.outbox.accept(.sample(), to: [target("a")])
            try await eventually("the first one is in flight") { gate.waiting == 1 }
            let second = try await bench.outbox.accept(.sample(lifetime: .seconds(3)), to: [target("b")])
            bench.clock.advance(by: .seconds(3))
            gate.open()
            try await bench.settled(first)
            try await bench.settled(second)
            try await expectExpired(second, on: bench)
            // The slot is free again.
            try await bench.settled(try await bench.outbox.accept(.sample(), to: [target("c")]))
        }
        #expect(bench.transport.tokens == ["a", "c"])
    }

    @Test("It is not sent if its time passes while its gateway waits until it may send")
    func withoutPlace() async throws {
        let cluster = TestCluster()
        let bench = try Bench(ScriptedTransport(window: 1), membership: cluster.join("a"))
        try await bench.running {
            cluster.hold("a", false)
            let first = try await bench.outbox.accept(.sample(lifetime: .seconds(3)), to: [target("a")])
            try await eventually("it waits") { cluster.waiting == 1 }
            bench.clock.advance(by: .seconds(3))
            cluster.hold("a", true)
            try await bench.settled(first)
            try await expectExpired(first, on: bench)
            // The slot is free again.
            try await bench.settled(try await bench.outbox.accept(.sample(), to: [target("b")]))
        }
        #expect(bench.transport.tokens == ["b"])
    }

    @Test("It is not sent if its time passes while it waits for the answer to an older one, and the next one follows")
    func withoutTurn() async throws {
        let gate = Gate()
        let script = ScriptedTransport { sent in
            if sent.attempt == 1, sent.message.message.notification?.body == "1" { await gate.pass() }
            return .accepted
        }
        func draft(_ body: String, _ lifetime: Duration) -> Draft {
            Draft(
                message: Message(
                    notification: .init(body: body), apns: .init(headers: ["apns-collapse-id": "chat"])),
                lifetime: lifetime, source: "test", registrationFields: RegistrationFields(token: "token"))
        }
        let bench = try Bench(script)
        try await bench.running {
            let first = try await bench.outbox.accept(draft("1", .seconds(60)), to: [target("a")])
            try await eventually("the first one is in flight") { gate.waiting == 1 }
            bench.clock.advance(by: .microseconds(1))
            let second = try await bench.outbox.accept(draft("2", .seconds(1)), to: [target("a")])
            bench.clock.advance(by: .seconds(1))
            gate.open()
            try await bench.settled(first)
            try await bench.settled(second)
            try await expectExpired(second, on: bench)
            try await bench.settled(try await bench.outbox.accept(draft("3", .seconds(60)), to: [target("a")]))
        }
        #expect(bench.transport.sent.compactMap(\.message.message.notification?.body) == ["1", "3"])
    }
}
