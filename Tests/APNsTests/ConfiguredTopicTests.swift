import APNsSimulator
import Cryptography
import DocumentStore
import HTTP2Client
import JSON
import TestDoubles
import Testing

@testable import APNs
@testable import Messaging

@Suite("A topic that Apple refuses", .timeLimit(.minutes(10)))
struct ConfiguredTopicTests {
    private static let reasons = ["BadTopic", "TopicDisallowed"]

    private func send(_ message: Message, _ reason: String, topic: String? = nil) async throws -> Outcome? {
        var outcome: Outcome?
        try await withSimulator { simulator, transport in
            simulator.script(token: nil, answers: [ScriptedAnswer(status: 400, reason: reason)])
            let lane = Lane(transport: .apns, app: AppIdentity(bundleID: topic))
            let outgoing = OutgoingMessage(message: message, lane: lane, expiration: Timestamp.now.seconds + 3_600)
            outcome = await transport.prepare(outgoing).send(notification(to: token(1), 0))
        }
        return outcome
    }

    @Test(
        "A refused topic that is a configured bundle id holds up its lane, if the message does not set it",
        arguments: reasons, [nil, "com.example.app"])
    func held(reason: String, topic: String?) async throws {
        let held = Outcome.failed(Failure(code: .thirdPartyAuthError, reason: reason, laneFailure: .refused))
        for message in [
            Message(notification: .init(title: "Agent")),
            Message(apns: .init(payload: ["aps": ["content-available": 1]])),
            Message(data: ["a": "b"], apns: .init(headers: ["apns-push-type": "alert"])),
        ] {
            #expect(try await send(message, reason, topic: topic) == held)
        }
    }

    @Test(
        "A refused topic is the message's fault if the message names a topic or a push type with its own topic",
        arguments: reasons,
        [
            ["apns-topic": "com.example.app"], ["Apns-Topic": "com.example.other"], ["apns-push-type": "voip"],
            ["apns-push-type": "mdm"], ["apns-push-type": "liveactivity"],
        ])
    func messages(reason: String, headers: [String: String]) async throws {
        let message = Message(data: ["k": "v"], apns: .init(headers: headers))
        let rejected = Outcome.rejected(
            Rejection(
                code: .invalidArgument, reason: reason, verdict: PlatformVerdict(by: .apns, status: 400, reason: reason)
            ))
        #expect(try await send(message, reason) == rejected)
    }

    @Test(
        "A refused topic is the registration's fault if the registration names a topic with a suffix",
        arguments: reasons)
    func registrations(reason: String) async throws {
        let message = Message(notification: .init(title: "Agent"))
        let rejected = Outcome.rejected(
            Rejection(
                code: .invalidArgument, reason: reason, verdict: PlatformVerdict(by: .apns, status: 400, reason: reason)
            ))
        #expect(try await send(message, reason, topic: "com.example.app.voip") == rejected)
    }

    @Test("The bundle id of an unconfigured app that may send is not a configured one")
    func strangers() async throws {
        let key = try ES256PrivateKey.generate()
        let app = APNsApp(bundleID: "com.example.app", key: key, keyID: "KEY1234567", teamID: "TEAM123456")
        let routes = APNsRoutes(APNsApps(app, allowsUnconfigured: true), now: { 0 })
        #expect(routes.sends(to: "com.stranger") && !routes.isConfigured(bundleID: "com.stranger"))
        #expect(
            routes.isConfigured(bundleID: "com.example.app") && !routes.isConfigured(bundleID: "com.example.app.voip"))
    }
}

@Suite("The name of a lane")
struct LaneNameTests {
    @Test("The name of a lane without a topic contains the standard app and its environment")
    func apns() throws {
        let key = try ES256PrivateKey.generate()
        let app = APNsApp(
            bundleID: "com.example.app", key: key, keyID: "KEY1234567", teamID: "TEAM123456", environment: .production)
        let transport = APNsTransport(
            apps: APNsApps(app), client: HTTP2Client(logger: .silent), window: 1, now: { 0 }, logger: .silent)
        #expect(transport.resolved(Lane(transport: .apns)).description == "apns/com.example.app/production")
        let named = Lane(transport: .apns, app: AppIdentity(bundleID: "com.example.app.voip", environment: .sandbox))
        #expect(transport.resolved(named).description == "apns/com.example.app.voip/sandbox")
    }

    @Test("The name of a lane leaves out absent parts")
    func others() {
        #expect(ScriptedTransport().resolved(Lane(transport: .fcm)).description == "fcm")
        #expect(
            ScriptedTransport().resolved(Lane(transport: .apns, app: AppIdentity(bundleID: "com.example.app")))
                .description
                == "apns/com.example.app")
    }
}
