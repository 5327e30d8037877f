import DocumentStore
import GoogleStandIn
import JSON
import Messaging
import TestDoubles
import Testing

@testable import FCMRelay

/// Tests of the transport against the stand-in for Google's side, over real connections.
@Suite("The FCM transport", .timeLimit(.minutes(10)))
struct FCMRelayTransportTests {
    private let message = Message(
        notification: .init(title: "Agent", body: "Done"), data: ["type": "reply_finished"],
        apns: .init(headers: ["apns-collapse-id": "agent"], payload: ["aps": ["sound": "default"]]))

    @Test("The FCM transport sends the message unchanged, with its token and a fetched access token")
    func accepted() async throws {
        try await withGoogle { google in
            let stage = try Stage(google)
            #expect(await stage.send(message, to: "token") == .accepted)
            let sent = try #require(google.sent.first)
            #expect(
                sent.body
                    == [
                        "message": [
                            "notification": ["title": "Agent", "body": "Done"], "data": ["type": "reply_finished"],
                            "apns": [
                                "headers": ["apns-collapse-id": "agent"], "payload": ["aps": ["sound": "default"]],
                            ],
                            "token": "token",
                        ]
                    ])
            #expect(sent.accessToken == "access-1")
            #expect(google.exchanges.map(\.problem) == [nil])
            #expect(google.exchanges.first?.claims["iat"]?.integer == stage.clock.timestamp.seconds)
        }
    }

    @Test("A message sent late has its remaining time to live")
    func remainingLife() async throws {
        try await withGoogle { google in
            let stage = try Stage(google)
            let message = Message(
                apns: .init(headers: ["apns-expiration": "4102444800"]), android: ["ttl": "3600s", "priority": "HIGH"],
                webpush: ["headers": ["TTL": "60"]])
            _ = await stage.prepare(message, age: 0).send(notification(to: "now"))
            _ = await stage.prepare(message, age: 90).send(notification(to: "later"))
            let sent = google.sent.map { $0.body["message"] }
            #expect(sent.map { $0?["android"]?["ttl"] } == ["3600s", "3510s"])
            #expect(sent.map { $0?["webpush"]?["headers"]?["TTL"] } == ["60", "0"])
            #expect(sent.map { $0?["apns"]?["headers"]?["apns-expiration"] } == ["4102444800", "4102444800"])
            #expect(sent.map { $0?["android"]?["priority"] } == ["HIGH", "HIGH"])
        }
    }

    @Test("100 concurrent messages share one access token, which is reused until shortly before its end")
    func accessTokens() async throws {
        try await withGoogle { google in
            let stage = try Stage(google)
            let prepared = stage.prepare(message)
            await withDiscardingTaskGroup { tasks in
                for number in 0..<100 {
                    tasks.addTask { #expect(await prepared.send(notification(to: "token-\(number)")) == .accepted) }
                }
            }
            #expect(google.sent.count == 100)
            #expect(Set(google.sent.map(\.token)).count == 100)
            #expect(google.exchanges.count == 1)
            stage.clock.advance(by: .seconds(3_298))
            #expect(await stage.send(message, to: "late") == .accepted)
            #expect(google.exchanges.count == 1)
            stage.clock.advance(by: .seconds(1))
            #expect(await stage.send(message, to: "later") == .accepted)
            #expect(google.exchanges.count == 2)
            #expect(google.sent.last?.accessToken == "access-2")
        }
    }

    // MARK: Google's answers

    @Test("Each FCM error becomes its outcome without a second request", arguments: ErrorRow.all)
    func errors(row: ErrorRow) async throws {
        try await withGoogle { google in
            let stage = try Stage(google)
            google.answer("token", with: row.answer)
            #expect(await stage.send(message, to: "token") == row.outcome)
            #expect(await stage.send(message, to: "another") == .accepted)
            #expect(google.sent.map(\.token) == ["token", "another"])
            #expect(google.exchanges.count == 1)
        }
    }

    @Test(
        "A finished Live Activity or an unknown Live Activity token keeps the registration",
        arguments: [
            (GoogleAnswer.unregistered, Rejection(code: .invalidArgument, reason: "UNREGISTERED")),
            (
                .refusedByAPNs(410, "ExpiredToken"),
                Rejection(
                    code: .invalidArgument, reason: "INVALID_ARGUMENT (ExpiredToken)",
                    verdict: PlatformVerdict(by: .apns, status: 410, reason: "ExpiredToken"))
            ),
            (
                .refusedByAPNs(400, "BadDeviceToken"),
                Rejection(
                    code: .invalidArgument, reason: "INVALID_ARGUMENT (BadDeviceToken)",
                    verdict: PlatformVerdict(by: .apns, status: 400, reason: "BadDeviceToken"))
            ),
        ])
    func liveActivity(answer: GoogleAnswer, rejection: Rejection) async throws {
        try await withGoogle { google in
            let stage = try Stage(google)
            google.answer("token", with: answer)
            let activity = Message(apns: .init(liveActivityToken: RegistrationToken("a1b2c3d4")))
            #expect(await stage.send(activity, to: "token") == .rejected(rejection))
        }
    }

    @Test(
        "A token that Apple refuses for a topic named by the message keeps its registration",
        arguments: [["apns-topic": "com.example.other"], ["apns-push-type": "voip"]])
    func otherTopic(headers: [String: String]) async throws {
        try await withGoogle { google in
            let stage = try Stage(google)
            let message = Message(apns: .init(headers: headers))
            google.answer("token", with: .refusedByAPNs(400, "DeviceTokenNotForTopic"), .unregistered)
            #expect(
                await stage.send(message, to: "token")
                    == .rejected(
                        Rejection(
                            code: .invalidArgument, reason: "INVALID_ARGUMENT (DeviceTokenNotForTopic)",
                            verdict: PlatformVerdict(by: .apns, status: 400, reason: "DeviceTokenNotForTopic"))))
            #expect(
                await stage.send(message, to: "token")
                    == .rejected(
                        Rejection(
                            code: .registrationTokenNotRegistered, reason: "UNREGISTERED",
                            invalidation: .unregistered(since: nil)))
            )
        }
    }

    @Test("A 401 from FCM leads to one new access token for all messages in flight")
    func revoked() async throws {
        try await withGoogle { google in
            let stage = try Stage(google)
            #expect(await stage.send(message, to: "before") == .accepted)
            google.revokeAccessTokens()
            let prepared = stage.prepare(message)
            await withDiscardingTaskGroup { tasks in
                for number in 0..<20 {
                    tasks.addTask { #expect(await prepared.send(notification(to: "token-\(number)")) == .accepted) }
                }
            }
            #expect(google.exchanges.count == 2)
            let taken = google.sent.filter { $0.status == 200 }
            #expect(taken.map(\.accessToken) == ["access-1"] + Array(repeating: "access-2", count: 20))
        }
    }

    @Test("A second 401 from FCM in a row fails the message without a third request")
    func revokedForGood() async throws {
        try await withGoogle { google in
            let stage = try Stage(google)
            let unauthenticated = GoogleAnswer.error(401, "UNAUTHENTICATED", "Expected OAuth 2 access token.")
            google.answer("token", with: unauthenticated, unauthenticated, unauthenticated)
            #expect(
                await stage.send(message, to: "token")
                    == .failed(
                        Failure(code: .thirdPartyAuthError, reason: "UNAUTHENTICATED", laneFailure: .refused)))
            #expect(google.sent.map(\.accessToken) == ["access-1", "access-2"])
        }
    }

    // MARK: Description and logs

    @Test("The FCM transport's description names endpoint and project, and its logs contain no token or assertion")
    func words() async throws {
        try await withGoogle { google in
            let stage = try Stage(google)
            #expect(stage.transport.description == "FCM (\(google.url)), project \(GoogleStandIn.projectID)")
            #expect(stage.transport.window == 100)
            #expect(await stage.send(message, to: "registration-token") == .accepted)
            google.revokeAccessTokens()
            google.answerTokenRequests(with: .oauth(401, "invalid_client", "The OAuth client was not found."))
            _ = await stage.send(message, to: "registration-token")
            let log = stage.log.lines.joined(separator: "\n")
            #expect(log.contains("invalid_client"))
            for secret in ["access-1", "registration-token", "eyJ", "PRIVATE KEY"] { #expect(!log.contains(secret)) }
        }
    }
}
