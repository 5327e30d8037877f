import APNsSimulator
import Cryptography
import DocumentStore
import Foundation
import HTTP2Client
import JSON
import TestDoubles
import Testing

@testable import APNs
@testable import Messaging

/// Tests of the transport against the simulator, over real connections.
@Suite("The APNs transport", .timeLimit(.minutes(10)))
struct APNsTransportTests {
    private let message = Message(
        notification: .init(title: "Agent", body: "Done"), data: ["type": "reply_finished"],
        apns: .init(headers: ["apns-collapse-id": "agent"], payload: ["aps": ["sound": "default"]]))

    @Test("The APNs transport sends a request that the strict simulator accepts")
    func accepted() async throws {
        try await withSimulator { simulator, transport in
            #expect(await transport.send(message, to: token(1)) == .accepted)
            let received = try #require(simulator.received().first)
            #expect(received.token == token(1))
            #expect(received.status == 200)
        }
    }

    @Test("The APNs transport sends 1,000 notifications over at most 4 connections, each with its own id")
    func many() async throws {
        try await withSimulator { simulator, transport in
            let prepared = transport.prepare(outgoing(message))
            await withDiscardingTaskGroup { group in
                for number in 0..<1_000 {
                    group.addTask {
                        #expect(await prepared.send(notification(to: token(number), number)) == .accepted)
                    }
                }
            }
            let received = simulator.received()
            #expect(received.count == 1_000)
            #expect(Set(received.map(\.token)).count == 1_000)
            #expect(simulator.counters.connectionsOpened <= 4)
            #expect(simulator.counters.duplicates == 0)
        }
    }

    @Test("The APNs transport reports an unregistered token with its timestamp")
    func dead() async throws {
        try await withSimulator { simulator, transport in
            simulator.script(
                token: token(1),
                answers: [ScriptedAnswer(status: 410, reason: "Unregistered", timestamp: 1_700_000_000_000)])
            #expect(
                await transport.send(message, to: token(1))
                    == .rejected(
                        Rejection(
                            code: .registrationTokenNotRegistered, reason: "Unregistered",
                            verdict: PlatformVerdict(by: .apns, status: 410, reason: "Unregistered"),
                            invalidation: .unregistered(since: Timestamp(microseconds: 1_700_000_000_000_000)))))
        }
    }

    @Test(
        "A token refused for a topic other than the app's keeps its registration",
        arguments: [
            ["apns-topic": "com.example.other"], ["Apns-Topic": "com.example.app.voip"],
            ["apns-push-type": "voip"], ["apns-push-type": "liveactivity"],
        ],
        [
            ScriptedAnswer(status: 400, reason: "DeviceTokenNotForTopic"),
            ScriptedAnswer(status: 400, reason: "BadDeviceToken"),
            ScriptedAnswer(status: 410, reason: "Unregistered", timestamp: 1_700_000_000_000),
        ])
    func otherTopic(headers: [String: String], answer: ScriptedAnswer) async throws {
        try await withSimulator { simulator, transport in
            simulator.script(token: token(1), answers: [answer])
            let reason = answer.reason ?? ""
            #expect(
                await transport.send(Message(data: ["k": "v"], apns: .init(headers: headers)), to: token(1))
                    == .rejected(
                        Rejection(
                            code: .invalidArgument, reason: reason,
                            verdict: PlatformVerdict(by: .apns, status: answer.status, reason: reason))))
        }
    }

    @Test("A token refused for the app's own topic is invalid, even if the message names that topic")
    func ownTopic() async throws {
        try await withSimulator { simulator, transport in
            simulator.script(token: token(1), answers: [ScriptedAnswer(status: 400, reason: "BadDeviceToken")])
            let named = Message(data: ["k": "v"], apns: .init(headers: ["apns-topic": "com.example.app"]))
            #expect(
                await transport.send(named, to: token(1))
                    == .rejected(
                        Rejection(
                            code: .invalidRegistrationToken, reason: "BadDeviceToken",
                            verdict: PlatformVerdict(by: .apns, status: 400, reason: "BadDeviceToken"),
                            invalidation: .unrecognized)))
        }
    }

    @Test("An expired provider token leads to a new connection and one resend with the same id")
    func expiredProviderToken() async throws {
        try await withSimulator { simulator, transport in
            #expect(await transport.send(message, to: token(1)) == .accepted)
            simulator.script(
                token: token(2), answers: [ScriptedAnswer(status: 403, reason: "ExpiredProviderToken", count: 1)])
            #expect(await transport.send(message, to: token(2)) == .accepted)
            let received = simulator.received().filter { $0.token == token(2) }
            #expect(received.map(\.status) == [403, 200])
            #expect(Set(received.map(\.apnsID)).count == 1)
            #expect(Set(received.map(\.connection)).count == 2)
        }
    }

    @Test("A notification without an answer by the deadline fails")
    func deadline() async throws {
        try await withSimulator(deadline: .seconds(6)) { simulator, transport in
            #expect(await transport.send(message, to: token(2)) == .accepted)
            simulator.script(token: token(1), answers: [ScriptedAnswer(status: 200, delay: .seconds(20))])
            #expect(
                await transport.send(message, to: token(1))
                    == .failed(Failure(code: .serverUnavailable, reason: "timedOut")))
        }
    }

    @Test("A notification to an unreachable APNs fails and is retried")
    func unreachable() async throws {
        let transport = try apnsTransport(
            endpoint: "https://127.0.0.1:1", client: HTTP2Client(logger: .silent), deadline: .seconds(5))
        #expect(
            await transport.send(message, to: token(1))
                == .failed(Failure(code: .serverUnavailable, reason: "couldNotConnect", laneFailure: .unreachable)))
    }

    @Test("A message too large for APNs is rejected without a request")
    func tooLarge() async throws {
        try await withSimulator { simulator, transport in
            let large = Message(data: ["k": String(repeating: "v", count: 5_000)])
            #expect(
                await transport.send(large, to: token(1))
                    == .rejected(Rejection(code: .invalidArgument, reason: "PayloadTooLarge")))
            #expect(simulator.received().isEmpty)
        }
    }

    // MARK: Faulty connections

    @Test(
        "500 notifications arrive, each with one id, despite faulty connections", .serialized,
        arguments: ConnectionScript.faulty)
    func faultyConnections(fault: String, script: ConnectionScript, maySendTwice: Bool) async throws {
        try await withSimulator(connections: [script]) { simulator, transport in
            let prepared = transport.prepare(outgoing(message))
            await withDiscardingTaskGroup { group in
                for number in 0..<500 {
                    group.addTask {
                        let notification = notification(to: token(number), number)
                        var outcome = await prepared.send(notification)
                        // The dispatcher does the same, with waits in between.
                        for _ in 0..<20 where !outcome.isAccepted { outcome = await prepared.send(notification) }
                        #expect(outcome.isAccepted, "\(fault): \(outcome)")
                    }
                }
            }
            #expect(simulator.counters.distinctTokens == 500)
            #expect(Set(simulator.received().map(\.apnsID)).count == 500)
            if !maySendTwice { #expect(simulator.counters.duplicates == 0) }
            #expect(simulator.counters.distinctProviderTokens == 1)
        }
    }
}

extension Outcome {
    fileprivate var isAccepted: Bool { self == .accepted }
}

extension ConnectionScript {
    /// The name of each fault, its script, and `true` if Apple may have accepted a notification without an answer.
    fileprivate static let faulty: [(String, ConnectionScript, Bool)] = [
        ("REFUSED_STREAM", script { $0.refusesEvery = 7 }, false),
        (
            "SETTINGS down and up",
            script {
                $0.streamLimits = [
                    StreamLimitStep(afterRequests: 20, limit: 1), StreamLimitStep(afterRequests: 40, limit: 1_000),
                ]
            }, false
        ),
        ("GOAWAY", script { $0.goAway = ScriptedGoAway(afterRequests: 50) }, false),
        (
            "GOAWAY that leaves a request out",
            script { $0.goAway = ScriptedGoAway(afterRequests: 50, leavesOutLast: true) }, false
        ),
        ("RST_STREAM", script { $0.streamReset = ScriptedStreamReset(every: 9) }, false),
        (
            "RST_STREAM of an accepted request",
            script { $0.streamReset = ScriptedStreamReset(every: 9, isAccepted: true) }, true
        ),
        ("a break", script { $0.breakage = ConnectionBreakage(afterRequests: 60) }, true),
        (
            "a break within an answer",
            script { $0.breakage = ConnectionBreakage(afterRequests: 60, kind: .close, isInAnswer: true) }, true
        ),
        (
            "an expired provider token", script { $0.providerTokenExpiry = ProviderTokenExpiry(afterRequests: 100) },
            false
        ),
    ]

    private static func script(_ change: (inout ConnectionScript) -> Void) -> ConnectionScript {
        var script = ConnectionScript(count: nil)
        change(&script)
        return script
    }
}
