import Cryptography
import DocumentStore
import JSON
import Secrets
import TestDoubles
import Testing
import WebPush

@testable import Messaging
@testable import Webhooks

@Suite("Webhooks that are made at run time", .timeLimit(.minutes(10)))
struct WebhookTargetsTests {
    @Test("A webhook is kept over a restart with its secret, and noticed by another gateway")
    func restart() async throws {
        let one = try WebhookBench(urls: [])
        let made = try await one.targets.add("https://Hooks.example.com/a?b=c", [.heldUp])
        #expect(made.url == "https://hooks.example.com/a?b=c" && !made.isConfigured)
        #expect(one.targets.all == [made] && one.recorder.isRecording)
        let two = try WebhookBench(urls: [], on: one)
        #expect(!two.recorder.isRecording)
        try await two.targets.refresh()
        #expect(two.targets.all == [made] && made.secretText.hasPrefix("whsec_"))
        let document = try await one.disk.documents.document(at: WebhookDocuments.webhook(made.id))
        #expect(document?.fields.keys.sorted() == ["createdAt", "kinds", "url"])
    }

    @Test("A webhook that is removed gets nothing more, and what waits for it is removed")
    func removal() async throws {
        let bench = try WebhookBench(
            urls: [], ScriptedReceivers { _ in .failed("the receiver answered 500", retryAfter: nil) })
        let made = try await bench.targets.add("https://hooks.example.com/", [.resumed])
        try await bench.running {
            try await bench.record(.resumed("a"))
            try await eventually("the event is sent") { bench.receivers.received.count == 1 }
            #expect(try await bench.targets.remove(made.id))
            #expect(try await !bench.targets.remove(made.id))
            bench.sender.notify()
            try await eventually("nothing waits") { try await bench.waiting().isEmpty }
        }
        #expect(!bench.recorder.isRecording && bench.receivers.received.count == 1)
    }

    @Test(
        "A URL that a stranger may not name is refused, and the configuration may have it",
        arguments: [
            "http://hooks.example.com/", "https://127.0.0.1/", "https://192.168.1.5/hook", "https://[::1]/",
            "https://169.254.169.254/latest/meta-data", "https://homeassistant/api/webhook/x",
            "https://hooks.example.com:8443/", "https://user@hooks.example.com/", "https://2130706433/",
            "ftp://x.example/",
        ])
    func strangers(url: String) async throws {
        let bench = try WebhookBench(urls: [])
        await #expect(throws: WebhookProblem.self) { try await bench.targets.add(url, [.heldUp]) }
        #expect(bench.targets.all.isEmpty && !bench.recorder.isRecording)
    }

    @Test("URLs and secrets of the configuration are read, and others are not")
    func configuration() {
        #expect(WebhookSettings.url("http://homeassistant.lan:8123/api/webhook/x?y=z") != nil)
        #expect(WebhookSettings.url("https://192.168.1.5/") != nil)
        for wrong in [
            "homeassistant.lan", "ftp://x.example/", "http://a@b.example/", "http://:a@b.example/", "http://",
            "http://x.example/ü",
        ] {
            #expect(WebhookSettings.url(wrong) == nil, "\(wrong)")
        }
        #expect(WebhookSettings.secret(RedactedString("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))?.count == 24)
        for wrong in ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "whsec_AAAA", "whsec_?"] {
            #expect(WebhookSettings.secret(RedactedString(wrong)) == nil, "\(wrong)")
        }
    }

    @Test("A token leaves as its digest, and neither a URL's path nor a secret is printed")
    func secrecy() async throws {
        let bench = try WebhookBench(urls: ["http://homeassistant.lan:8123/api/webhook/hidden"])
        let target = Target(
            address: PushAddress(token: "phone-token"), registration: try DocumentPath("devices/1"))
        let message = DeliveryEvent.MessageOrigin(id: "m", source: "test")
        let lane = Lane(transport: .fcm)
        let notification = DeliveryEvent.SettledNotification(
            id: NotificationID(chunk: ChunkID(message: "m", number: 0), index: 0), target: target,
            outcome: .rejected(code: "invalid-argument", reason: "BadTopic"))
        try await bench.running {
            try await bench.record(
                .settled(message, lane, [notification]),
                .invalidTokens(lane, [DeliveryEvent.InvalidToken(target: target, invalidation: .unrecognized)]))
            try await eventually("both events are sent") { bench.receivers.received.count == 2 }
        }
        let bodies = try bench.receivers.received.map { try JSONValue(parsing: $0.event.body) }
        let one = bodies.first?["data"]?["notifications"]?[0]
        #expect(one?["token_sha256"] == .string(SHA256.hexadecimal(of: "phone-token")))
        #expect(one?["registration"] == "devices/1" && one?["outcome"] == "rejected" && one?["reason"] == "BadTopic")
        #expect(bodies.last?["type"] == "tokens.invalid")
        #expect(bodies.last?["data"]?["tokens"]?[0]?["cause"] == "unrecognized")
        #expect(!bench.receivers.received.contains { $0.body.contains("phone-token") })
        let configured = try #require(bench.targets.all.first)
        #expect(configured.origin == "http://homeassistant.lan:8123")
        var dumped = ""
        dump(configured, to: &dumped)
        for text in ["\(configured)", dumped] { #expect(!text.contains("hidden") && !text.contains("whsec")) }
        #expect(!bench.log.lines.contains { $0.contains("hidden") })
    }

    @Test("A registration whose id is a credential stays in the gateway")
    func secretRegistrations() async throws {
        let bench = try WebhookBench()
        let lane = Lane(transport: .fcm)
        let targets = try ["secretDevices/hidden", "secretDevices/x/parts/hidden", "devices/shown"].map { path in
            Target(address: PushAddress(token: "phone-token"), registration: try DocumentPath(path))
        }
        let notifications = targets.enumerated().map { index, target in
            DeliveryEvent.SettledNotification(
                id: NotificationID(chunk: ChunkID(message: "m", number: 0), index: index), target: target,
                outcome: .accepted)
        }
        let tokens = targets.map { DeliveryEvent.InvalidToken(target: $0, invalidation: .unrecognized) }
        try await bench.running {
            try await bench.record(
                .settled(DeliveryEvent.MessageOrigin(id: "m", source: "test"), lane, notifications),
                .invalidTokens(lane, tokens))
            try await eventually("both events are sent") { bench.receivers.received.count == 2 }
        }
        for received in bench.receivers.received {
            #expect(!received.body.contains("hidden") && received.body.contains("shown"))
            #expect(received.body.split(separator: "token_sha256").count == 4)
        }
    }

    @Test("Many notifications are several events, which have each of them once")
    func parts() async throws {
        let bench = try WebhookBench(kinds: [.settled])
        let notifications = (0..<500).map { index in
            DeliveryEvent.SettledNotification(
                id: NotificationID(chunk: ChunkID(message: "m", number: 0), index: index),
                target: Target(address: PushAddress(token: "token-\(index)"), registration: nil), outcome: .accepted)
        }
        try await bench.record(
            .settled(DeliveryEvent.MessageOrigin(id: "m", source: "test"), Lane(transport: .fcm), notifications))
        try await bench.running {
            try await eventually("all events are sent") { try await bench.waiting().isEmpty }
        }
        let ids = try bench.receivers.received.map { try JSONValue(parsing: $0.event.body) }.flatMap {
            $0["data"]?["notifications"]?.array?.compactMap { $0["id"]?.string } ?? []
        }
        #expect(bench.receivers.received.count == 2 && ids == notifications.map(\.id.description))
    }

    @Test("The event that tries a webhook comes after those that wait")
    func trial() async throws {
        let bench = try WebhookBench(kinds: [.resumed])
        try await bench.record(.resumed("a"))
        bench.clock.advance(by: .seconds(1))
        let target = try #require(bench.targets.all.first)
        let id = try #require(try await bench.targets.test(target.id))
        #expect(try await bench.targets.test("unknown") == nil)
        try await bench.running {
            try await eventually("both are sent") { bench.receivers.received.count == 2 }
        }
        #expect(bench.receivers.received.last?.event.id == id)
    }
}
