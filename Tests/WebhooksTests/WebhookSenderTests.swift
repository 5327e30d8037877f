import Cryptography
import DocumentStore
import Foundation
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@testable import Webhooks

@Suite("Sending events to webhooks", .timeLimit(.minutes(10)))
struct WebhookSenderTests {
    private static func apps(_ received: [ScriptedReceivers.Received]) -> [String] {
        received.compactMap { try? JSONValue(parsing: $0.event.body) }.compactMap { $0["data"]?["app"]?.string }
    }

    @Test("An event is signed by the specification, and is gone once it is taken")
    func signature() async throws {
        let bench = try WebhookBench()
        try await bench.running {
            try await bench.record(.resumed("a"))
            try await eventually("the event is sent and removed") {
                try await bench.waiting().isEmpty && !bench.receivers.received.isEmpty
            }
        }
        let received = try #require(bench.receivers.received.first)
        let fields = received.event.headerFields
        func field(_ name: String) throws -> String {
            let name = try #require(HTTPField.Name(name))
            return try #require(fields[name])
        }
        let (id, time) = (try field("webhook-id"), try field("webhook-timestamp"))
        let signature = try field("webhook-signature")
        #expect(id == received.event.id && time == String(bench.clock.seconds))
        let code = HMACSHA256.code(for: Array("\(id).\(time).\(received.body)".utf8), key: WebhookBench.secret)
        #expect(signature == "v1," + Data(code).base64EncodedString())
        #expect(fields[.contentType] == "application/json")
        let body = try JSONValue(parsing: received.event.body)
        #expect(body["type"] == "app.resumed" && body["timestamp"] == .string(bench.clock.timestamp.description))
        #expect(body["data"] == ["service": "apns", "app": "a"])
    }

    @Test("A decision about an approval has its ids, the decision and its time")
    func decision() async throws {
        let bench = try WebhookBench()
        let decision = DeliveryEvent.ApprovalDecision(
            approval: "a-1", run: "run-1", server: nil, decision: "approved", decidedAt: bench.clock.timestamp)
        try await bench.record(.decided(decision))
        try await bench.running {
            try await eventually("the event is taken") { bench.receivers.received.count == 1 }
        }
        let body = try JSONValue(parsing: try #require(bench.receivers.received.first).event.body)
        #expect(body["type"] == "approval.decided")
        #expect(
            body["data"] == [
                "approval_id": "a-1", "run_id": "run-1", "decision": "approved",
                "decided_at": .integer(bench.clock.seconds),
            ])
    }

    @Test("The example of the specification has the signature that the specification says")
    func example() {
        let secret = Array(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") ?? Data())
        let fields = WebhookSignature.fields(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8),
            secret: secret)
        let signature = HTTPField.Name("webhook-signature").flatMap { fields[$0] }
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("A receiver that fails gets the same event again, later and later, and then the rest in order")
    func retries() async throws {
        let receivers = ScriptedReceivers { received in
            received.attempt <= 3 ? .failed("the receiver answered 500", retryAfter: nil) : .taken
        }
        let bench = try WebhookBench(receivers)
        try await bench.record(.resumed("a"), .resumed("b"))
        try await bench.record(.resumed("c"))
        try await bench.running {
            try await eventually("all events are taken", advancing: bench.clock, by: .seconds(1)) {
                try await bench.waiting().isEmpty
            }
        }
        #expect(Self.apps(receivers.received) == ["a", "a", "a", "a", "b", "c"])
        #expect(Set(receivers.received.prefix(4).map(\.event.id)).count == 1)
        // 5 s, 10 s and 20 s.
        #expect(bench.clock.timestamp >= ManualClock.start.adding(.seconds(35)))
        #expect(bench.log.lines.count { $0.hasPrefix("warning failed to send an event") } == 1)
        #expect(bench.log.lines.contains { $0.hasPrefix("notice resumed a webhook") })
    }

    @Test("A receiver that asks for a wait is not asked before its end")
    func retryAfter() async throws {
        let receivers = ScriptedReceivers { received in
            received.attempt == 1 ? .failed("the receiver answered 429", retryAfter: .seconds(600)) : .taken
        }
        let bench = try WebhookBench(receivers)
        try await bench.record(.resumed("a"))
        try await bench.running {
            try await eventually("the event is taken", advancing: bench.clock, by: .seconds(30)) {
                try await bench.waiting().isEmpty
            }
        }
        #expect(bench.clock.timestamp >= ManualClock.start.adding(.seconds(600)))
    }

    @Test("A receiver that does not answer holds up no other")
    func slowReceiver() async throws {
        let gate = Gate()
        let receivers = ScriptedReceivers { received in
            if received.url.contains("slow") { await gate.pass() }
            return .taken
        }
        let bench = try WebhookBench(urls: ["http://slow.lan/", "http://fast.lan/"], receivers)
        try await bench.running {
            for app in ["a", "b", "c"] { try await bench.record(.resumed(app)) }
            try await eventually("the fast receiver has all events") {
                receivers.received.count { $0.url.contains("fast") } == 3
            }
            #expect(receivers.received.count { $0.url.contains("slow") } <= 1)
            gate.open()
            try await eventually("the slow receiver has all events too") { try await bench.waiting().isEmpty }
        }
        #expect(Self.apps(receivers.received.filter { $0.url.contains("slow") }) == ["a", "b", "c"])
    }

    @Test("After a crash between the outcome and the webhook, the event is sent with its id")
    func crashBeforeSending() async throws {
        let first = try WebhookBench()
        try await first.record(.resumed("a"))
        let ids = try await first.waiting()
        let second = try WebhookBench(on: first)
        try await second.running {
            try await eventually("the event is taken") { try await second.waiting().isEmpty }
        }
        #expect(first.receivers.received.isEmpty && second.receivers.received.map(\.event.id) == ids)
    }

    @Test("An event whose answer is lost with the gateway is sent once more, with the same id")
    func crashBeforeAnswer() async throws {
        let first = try WebhookBench(
            ScriptedReceivers { _ in .failed("connectionLost", retryAfter: nil) })
        try await first.record(.resumed("a"), .resumed("b"))
        try await first.running {
            try await eventually("the event has arrived") { first.receivers.received.count == 1 }
        }
        let second = try WebhookBench(on: first)
        try await second.running {
            try await eventually("nothing waits") { try await second.waiting().isEmpty }
        }
        #expect(second.receivers.received.first?.event.id == first.receivers.received.first?.event.id)
        #expect(Self.apps(second.receivers.received) == ["a", "b"])
    }

    @Test("An event that nobody has taken for three days is given up, and younger ones are sent")
    func age() async throws {
        let bench = try WebhookBench()
        try await bench.record(.resumed("old"))
        bench.clock.advance(by: .seconds(3 * 86_400))
        try await bench.record(.resumed("new"))
        try await bench.running {
            try await eventually("nothing waits") { try await bench.waiting().isEmpty }
        }
        #expect(Self.apps(bench.receivers.received) == ["new"])
    }

    @Test("For a receiver that never answers so many events wait and no more, the newest ones")
    func bound() async throws {
        let receivers = ScriptedReceivers { _ in .failed("the receiver answered 500", retryAfter: nil) }
        let bench = try WebhookBench(maximumWaiting: 3, receivers)
        for app in ["a", "b", "c", "d"] { try await bench.record(.resumed(app)) }
        let first = try await bench.waiting()
        try await bench.running {
            try await eventually("the oldest is given up") { try await bench.waiting() == Array(first.dropFirst()) }
            try await bench.record(.resumed("e"), .resumed("f"))
            let all = try await bench.waiting()
            try await eventually("more are given up", advancing: bench.clock, by: .seconds(10)) {
                try await bench.waiting() == Array(all.suffix(3))
            }
        }
        #expect(Self.apps(receivers.received).first == "b")
        #expect(bench.log.lines.contains { $0.hasPrefix("warning dropped the oldest events") })
    }

    @Test("A webhook gets the kinds that it wants, and each webhook has events of its own with one id")
    func kinds() async throws {
        let bench = try WebhookBench(urls: ["http://one.lan/", "http://two.lan/"], kinds: [.heldUp])
        try await bench.running {
            try await bench.record(.resumed("a"), .heldUp("a"))
            try await eventually("both have the event") { bench.receivers.received.count == 2 }
            try await eventually("nothing waits") { try await bench.waiting().isEmpty }
        }
        #expect(Set(bench.receivers.received.map(\.url)) == ["http://one.lan/", "http://two.lan/"])
        #expect(Set(bench.receivers.received.map(\.event.id)).count == 1)
        let body = try JSONValue(parsing: try #require(bench.receivers.received.first).event.body)
        #expect(body["type"] == "app.held_up" && body["data"]?["reason"] == "InvalidProviderToken")
        #expect(body["data"]?["cause"] == "refused")
    }

    @Test("Without webhooks nothing is recorded, and without room on the disk neither")
    func nothing() async throws {
        let none = try WebhookBench(urls: [])
        #expect(!none.recorder.isRecording && none.recorder.writes(recording: [.resumed("a")]).isEmpty)
        let full = try WebhookBench(hasRoom: false)
        #expect(full.recorder.isRecording && full.recorder.writes(recording: [.resumed("a")]).isEmpty)
    }

    @Test("Two gateways that notice the same pause record one event")
    func severalGateways() async throws {
        let one = try WebhookBench(isShared: true)
        let two = try WebhookBench(on: one, isShared: true)
        try await one.record(.heldUp("a"))
        await #expect(throws: StoreError.self) { try await two.record(.heldUp("a")) }
        try await two.record(.heldUp("b"))
        #expect(try await one.waiting().count == 2)
    }

    @Test("Collections of others with the name of the queues do not keep events from being sent, and are left alone")
    func foreignCollections() async throws {
        let bench = try WebhookBench()
        let paths = ["a/b/webhookEvents/c", "zoo/b/webhookEvents/c"]
        _ = try await bench.disk.documents.commit(try paths.map { .set(try DocumentPath($0), ["body": "x"]) })
        try await bench.record(.resumed("a"))
        try await bench.running {
            try await eventually("the event is taken") { try await bench.waiting().count == 2 }
        }
        #expect(Self.apps(bench.receivers.received) == ["a"])
    }

    @Test("With several gateways too, an app that is held up again soon after it has sent has a new event")
    func heldUpAgain() async throws {
        let bench = try WebhookBench(isShared: true)
        for event: DeliveryEvent in [.heldUp("a"), .resumed("a"), .heldUp("a")] { try await bench.record(event) }
        try await bench.running {
            try await eventually("all are sent") { bench.receivers.received.count == 3 }
        }
        let received = bench.receivers.received
        let types = try received.map { try JSONValue(parsing: $0.event.body)["type"]?.string }
        #expect(types == ["app.held_up", "app.resumed", "app.held_up"])
        #expect(Set(received.map(\.event.id)).count == 3)
    }

    @Test("The events of a webhook that left the configuration are removed, and no others")
    func orphans() async throws {
        let before = try WebhookBench(urls: ["http://one.lan/", "http://two.lan/", "http://three.lan/"])
        for app in ["a", "b"] { try await before.record(.resumed(app)) }
        let after = try WebhookBench(
            urls: ["http://two.lan/"], on: before,
            ScriptedReceivers { _ in .failed("the receiver answered 503", retryAfter: nil) })
        try await after.running {
            try await eventually("the events of two are left") { try await after.waiting().count == 2 }
            try await eventually("the first is sent") { after.receivers.received.count == 1 }
        }
        #expect(after.receivers.received.map(\.url) == ["http://two.lan/"])
    }
}
