import APNsSimulator
import Cryptography
import DocumentStore
import Foundation
import HTTP2Client
import TestDoubles
import Testing

@testable import APNs
@testable import Messaging

/// Two simulators, one per environment. The sandbox knows no token.
@Suite("A token unknown to the first environment", .timeLimit(.minutes(10)))
struct EnvironmentTests {
    private static let unknownToken = Outcome.rejected(
        Rejection(
            code: .invalidRegistrationToken, reason: "BadDeviceToken",
            verdict: PlatformVerdict(by: .apns, status: 400, reason: "BadDeviceToken"), invalidation: .unrecognized))

    private static func failure(_ code: MessagingErrorCode, _ reason: String) -> Outcome {
        .failed(Failure(code: code, reason: reason))
    }

    @Test("A token unknown to the first environment is tried once in the other, with the same id")
    func otherEnvironment() async throws {
        try await withEnvironments(production: ScriptedAnswer(status: 200)) { stage in
            #expect(await stage.send() == .accepted(Acceptance(found: AppIdentity(environment: .production))))
            let ids = (stage.sandbox.received() + stage.production.received()).map(\.apnsID)
            #expect(ids.count == 2 && Set(ids).count == 1)
        }
    }

    @Test(
        "The second environment decides the outcome of a token that the first does not know",
        arguments: [
            (ScriptedAnswer(status: 400, reason: "BadDeviceToken"), unknownToken),
            (
                ScriptedAnswer(status: 403, reason: "BadEnvironmentKeyIdInToken"),
                .rejected(Rejection(code: .invalidRegistrationToken, reason: "BadEnvironmentKeyIdInToken"))
            ),
            (
                ScriptedAnswer(status: 429, reason: "TooManyProviderTokenUpdates"),
                failure(.thirdPartyAuthError, "TooManyProviderTokenUpdates")
            ),
            (
                ScriptedAnswer(status: 503, reason: "ServiceUnavailable"),
                failure(.serverUnavailable, "ServiceUnavailable")
            ),
            (
                ScriptedAnswer(status: 410, reason: "Unregistered", timestamp: 1_000),
                .rejected(
                    Rejection(
                        code: .registrationTokenNotRegistered, reason: "Unregistered",
                        verdict: PlatformVerdict(by: .apns, status: 410, reason: "Unregistered"),
                        invalidation: .unregistered(since: Timestamp(microseconds: 1_000_000))))
            ),
        ])
    func otherAnswers(answer: ScriptedAnswer, outcome: Outcome) async throws {
        try await withEnvironments(production: answer) { stage in
            #expect(await stage.send() == outcome)
            #expect(stage.production.received().count == 1)
        }
    }

    @Test("A token whose registration names the environment is tried only there")
    func named() async throws {
        try await withEnvironments(production: ScriptedAnswer(status: 200)) { stage in
            #expect(await stage.send(in: .sandbox) == Self.unknownToken)
            #expect(stage.production.received().isEmpty)
        }
    }

    @Test("A Live Activity's token that only the other environment knows gives its registration no environment")
    func liveActivity() async throws {
        try await withEnvironments(production: ScriptedAnswer(status: 200)) { stage in
            let activity = Message.APNsConfiguration(liveActivityToken: RegistrationToken("ab12"))
            #expect(await stage.send(Message(notification: .init(title: "Agent"), apns: activity)) == .accepted)
            #expect(stage.production.received().count == 1)
        }
    }

    // MARK: Stage

    private struct Stage {
        let sandbox: APNsSimulator
        let production: APNsSimulator
        let transport: APNsTransport

        func send(
            _ message: Message = Message(notification: .init(title: "Agent")), in environment: APNsEnvironment? = nil
        ) async -> Outcome {
            let lane = Lane(transport: .apns, app: AppIdentity(environment: environment))
            let message = OutgoingMessage(
                message: message, lane: lane, expiration: Timestamp.now.seconds + 3_600)
            return await transport.prepare(message).send(
                OutgoingNotification(
                    id: NotificationID(chunk: ChunkID(message: "m", number: 0), index: 0),
                    target: Target(
                        address: PushAddress(token: String(repeating: "ab", count: 32), app: lane.app),
                        registration: nil)))
        }
    }

    private func withEnvironments(
        production answer: ScriptedAnswer, _ body: (Stage) async throws -> Void
    ) async throws {
        var configuration = APNsSimulatorConfiguration()
        configuration.makesProviderKey = false
        let simulators = (APNsSimulator(configuration: configuration), APNsSimulator(configuration: configuration))
        let (sandbox, production) = (try await simulators.0.start(), try await simulators.1.start())
        simulators.0.script(token: nil, answers: [ScriptedAnswer(status: 400, reason: "BadDeviceToken", count: nil)])
        simulators.1.script(token: nil, answers: [answer])
        let authorities = production.certificateAuthorityPath + ".both"
        let pems = try [sandbox, production].map {
            try String(contentsOfFile: $0.certificateAuthorityPath, encoding: .utf8)
        }
        try pems.joined().write(toFile: authorities, atomically: true, encoding: .utf8)
        var clientConfiguration = HTTP2Client.Configuration()
        clientConfiguration.caFile = authorities
        let client = HTTP2Client(configuration: clientConfiguration, logger: .silent)
        let key = try ES256PrivateKey.generate()
        func app(_ environment: APNsEnvironment, _ endpoint: String) -> APNsApp {
            APNsApp(
                bundleID: "com.example.app", key: key, keyID: "KEY1234567", teamID: "TEAM123456",
                environment: environment, endpoint: HTTP2Origin(endpoint))
        }
        let transport = APNsTransport(
            apps: APNsApps(app(.sandbox, sandbox.apns), [app(.production, production.apns)]), client: client,
            window: 400,
            now: { Timestamp.now.seconds }, logger: .silent)
        try await body(Stage(sandbox: simulators.0, production: simulators.1, transport: transport))
        await client.shutdown(within: .zero)
        await simulators.0.shutdown()
        await simulators.1.shutdown()
    }
}
