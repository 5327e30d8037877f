import Cryptography
import FCMRelay
import GoogleStandIn
import JSON
import Messaging
import TestDoubles
import Testing

/// Tests of messages for which Google refuses the account or does not answer.
@Suite("The FCM transport without access tokens or answers", .timeLimit(.minutes(10)))
struct FCMRelayFailureTests {
    private let message = Message(notification: .init(title: "Agent", body: "Done"))

    // MARK: No access token

    @Test("A refused account fails all messages without a request to FCM and is asked again after the back-off")
    func refusedAccount() async throws {
        try await withGoogle { google in
            let stage = try Stage(google)
            google.answerTokenRequests(with: .oauth(400, "invalid_grant", "Invalid grant: account not found"))
            let refused = Outcome.failed(
                Failure(
                    code: .thirdPartyAuthError, reason: "invalid_grant", retryAfter: .seconds(5),
                    laneFailure: .refused))
            #expect(await stage.send(message, to: "token") == refused)
            #expect(await stage.send(message, to: "token") == refused)
            #expect(google.exchanges.count == 1)
            #expect(google.sent.isEmpty)
            #expect(stage.log.lines.contains { $0.hasPrefix("error") && $0.contains("account not found") })
            stage.clock.advance(by: .seconds(5))
            #expect(await stage.send(message, to: "token") == .accepted)
        }
    }

    @Test("A revoked account key is refused, and a replaced account sends from the next message on")
    func replacedAccount() async throws {
        try await withGoogle { google in
            let other = try TestKey.shared.get()
            let stage = try Stage(google) { $0["private_key"] = .string(other.pem) }
            #expect(
                await stage.send(message, to: "token")
                    == .failed(
                        Failure(
                            code: .thirdPartyAuthError, reason: "invalid_grant", retryAfter: .seconds(5),
                            laneFailure: .refused)))
            #expect(google.exchanges.map(\.problem) == ["signature"])
            stage.transport.replace(try ServiceAccount(json: JSONValue.object(google.serviceAccount).serialized))
            #expect(await stage.send(message, to: "token") == .accepted)
        }
    }

    @Test("A failing or unreachable token endpoint holds up the lane")
    func tokenEndpointDown() async throws {
        try await withGoogle { google in
            let stage = try Stage(google)
            google.answerTokenRequests(with: GoogleAnswer(status: 503, retryAfter: 30))
            #expect(
                await stage.send(message, to: "token")
                    == .failed(
                        Failure(
                            code: .serverUnavailable, reason: "HTTP503", retryAfter: .seconds(30),
                            laneFailure: .unreachable)))
            let unreachable = try Stage(google) { $0["token_uri"] = "http://127.0.0.1:1/token" }
            #expect(
                await unreachable.send(message, to: "token")
                    == .failed(
                        Failure(
                            code: .serverUnavailable, reason: "couldNotConnect", retryAfter: .seconds(1),
                            laneFailure: .unreachable)))
            #expect(google.sent.isEmpty)
        }
    }

    @Test("An endless Retry-After of the token endpoint counts as an hour")
    func endlessRetryAfter() async throws {
        try await withGoogle { google in
            let stage = try Stage(google)
            google.answerTokenRequests(with: GoogleAnswer(status: 503, retryAfter: Int(Int64.max)))
            #expect(
                await stage.send(message, to: "token")
                    == .failed(
                        Failure(
                            code: .serverUnavailable, reason: "HTTP503", retryAfter: .seconds(3_600),
                            laneFailure: .unreachable)))
            stage.clock.advance(by: .seconds(3_600))
            #expect(await stage.send(message, to: "token") == .accepted)
        }
    }

    // MARK: No answer

    @Test("A message to an unreachable FCM endpoint fails and is retried")
    func unreachable() async throws {
        try await withGoogle { google in
            let stage = try Stage(google, endpoint: "http://127.0.0.1:1")
            #expect(
                await stage.send(message, to: "token")
                    == .failed(
                        Failure(code: .serverUnavailable, reason: "couldNotConnect", laneFailure: .unreachable)))
        }
    }

    @Test("An FCM endpoint that is not a URL holds up the lane")
    func invalidEndpoint() async throws {
        try await withGoogle { google in
            let stage = try Stage(google, endpoint: "fcm.googleapis.com")
            #expect(
                await stage.send(message, to: "token")
                    == .failed(Failure(code: .serverUnavailable, reason: "invalidRequest", laneFailure: .refused)))
        }
    }

    @Test("A message without an answer from FCM by the deadline fails and is not sent again by the transport")
    func noAnswer() async throws {
        try await withGoogle { google in
            let stage = try Stage(google, deadline: .seconds(5))
            #expect(await stage.send(message, to: "before") == .accepted)
            let gate = Gate()
            google.answer("token", with: GoogleAnswer(status: 200, gate: gate))
            #expect(
                await stage.send(message, to: "token")
                    == .failed(Failure(code: .serverUnavailable, reason: "timedOut")))
            #expect(google.sent.map(\.token) == ["before", "token"])
            gate.open()
        }
    }
}
