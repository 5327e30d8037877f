import APNsSimulator
import DocumentStore
import JSON
import TestDoubles
import Testing

@testable import APNs
@testable import Messaging

/// Tests of messages that came through FCM's API, over real connections to the simulator.
@Suite("FCM messages on the APNs transport", .timeLimit(.minutes(10)))
struct FCMMessageTests {
    private let identity = FCMIdentity(messageID: "m1", senderID: "123")

    private func outgoing(_ message: Message) -> OutgoingMessage {
        OutgoingMessage(
            message: message, lane: Lane(transport: .apns), expiration: Timestamp.now.seconds + 3_600,
            identity: identity)
    }

    private func notification(to number: Int, registration: String?) throws -> OutgoingNotification {
        OutgoingNotification(
            id: NotificationID(chunk: ChunkID(message: "m1", number: 0), index: number),
            target: Target(
                address: PushAddress(token: token(number)),
                registration: try registration.map { try CollectionPath("registrations").document($0) }))
    }

    private func activity(_ token: String) -> Message {
        Message(
            apns: .init(
                payload: ["aps": ["timestamp": 1, "event": "update", "content-state": [:]]],
                liveActivityToken: RegistrationToken(token)))
    }

    // MARK: Ids

    @Test("Each target gets its own installation id and the shared message id")
    func ids() async throws {
        try await withSimulator { simulator, transport in
            let prepared = transport.prepare(outgoing(Message(data: ["k": "v"])))
            for (number, registration) in [(1, "fid-1"), (2, "fid-2"), (3, nil)] {
                let outcome = try await prepared.send(notification(to: number, registration: registration))
                #expect(outcome == .accepted)
            }
            let payloads = simulator.received().sorted { $0.token ?? "" < $1.token ?? "" }.map(\.payload)
            #expect(payloads.map { $0?["google.c.fid"] } == ["fid-1", "fid-2", nil])
            for payload in payloads {
                #expect(payload?["gcm.message_id"] == "m1")
                #expect(payload?["google.c.sender.id"] == "123")
                #expect(payload?["google.c.a.e"] == "1")
                #expect(payload?["k"] == "v")
            }
        }
    }

    // MARK: Live Activities

    @Test("An update of a Live Activity goes to the activity's token, not to the registration's")
    func liveActivity() async throws {
        try await withSimulator { simulator, transport in
            let prepared = transport.prepare(outgoing(activity("a1b2c3d4")))
            let outcome = try await prepared.send(notification(to: 1, registration: "fid-1"))
            #expect(outcome == .accepted)
            let received = simulator.received()
            #expect(received.map(\.token) == ["a1b2c3d4"])
            #expect(
                received.first?.headers.first { $0.name == "apns-topic" }?.value
                    == "com.example.app.push-type.liveactivity")
        }
    }

    @Test(
        "The start, update and end of a Live Activity in FCM's form reach Apple with their members unchanged",
        arguments: [
            [
                "timestamp": 1_800_000_000, "event": "start", "content-state": ["step": 1, "share": 0.5],
                "attributes-type": "RunAttributes", "attributes": ["run": "r1"], "input-push-channel": "dGVzdA==",
                "alert": ["title": "Run", "body": "Started", "sound": "default"],
            ],
            [
                "timestamp": 1_800_000_001, "event": "update", "content-state": ["steps": [1, 2]],
                "stale-date": 1_800_000_600, "relevance-score": 75,
            ],
            ["timestamp": 1_800_000_002, "event": "end", "content-state": [:], "dismissal-date": 1_800_000_003],
        ] as [JSONValue])
    func liveActivityEvents(aps: JSONValue) async throws {
        let token = String(repeating: "ab", count: 80)
        let request = try SendRequest(
            json: [
                "message": [
                    "token": "phone", "apns": ["live_activity_token": .string(token), "payload": ["aps": aps]],
                ]
            ])
        try await withSimulator { simulator, transport in
            let prepared = transport.prepare(outgoing(request.message))
            #expect(try await prepared.send(notification(to: 1, registration: "fid-1")) == .accepted)
            let received = try #require(simulator.received().first)
            #expect(received.token == token && received.payload?["aps"] == aps)
            #expect(received.topic == "com.example.app.push-type.liveactivity")
            #expect(received.pushType == "liveactivity" && received.priority == "10")
            #expect(received.payload?["gcm.message_id"] == "m1")
        }
    }

    @Test("A Live Activity's content goes to Apple with priority 5, and passes the simulator's checks")
    func liveActivityContent() async throws {
        let now = Timestamp.now.seconds
        let token = RegistrationToken(String(repeating: "cd", count: 64))
        let content = LiveActivity(.update, timestamp: now, contentState: ["step": 2])
        try await withSimulator { simulator, transport in
            let prepared = transport.prepare(outgoing(try content.message(to: token, at: now)))
            #expect(try await prepared.send(notification(to: 1, registration: nil)) == .accepted)
            let received = try #require(simulator.received().first)
            #expect(received.token == token.value && received.priority == "5")
            #expect(received.payload?["aps"]?["content-state"] == ["step": 2])
        }
    }

    @Test(
        "A dead or unknown Live Activity token keeps the registration",
        arguments: [
            ScriptedAnswer(status: 410, reason: "ExpiredToken", timestamp: 1_000),
            ScriptedAnswer(status: 400, reason: "BadDeviceToken", count: 2),
        ])
    func deadActivity(answer: ScriptedAnswer) async throws {
        try await withSimulator { simulator, transport in
            simulator.script(token: "a1b2c3d4", answers: [answer])
            let outcome = try await transport.prepare(outgoing(activity("a1b2c3d4")))
                .send(notification(to: 1, registration: "fid-1"))
            let reason = answer.reason ?? ""
            let verdict = PlatformVerdict(by: .apns, status: answer.status, reason: reason)
            #expect(outcome == .rejected(Rejection(code: .invalidArgument, reason: reason, verdict: verdict)))
        }
    }

    @Test("An invalid Live Activity token is rejected without a request", arguments: ["../x", "a1b2?", "é", "xyz"])
    func malformedActivity(token: String) async throws {
        try await withSimulator { simulator, transport in
            let outcome = try await transport.prepare(outgoing(activity(token)))
                .send(notification(to: 1, registration: "fid-1"))
            #expect(
                outcome == .rejected(Rejection(code: .invalidArgument, reason: "BadDeviceToken")))
            #expect(simulator.received().isEmpty)
        }
    }
}
