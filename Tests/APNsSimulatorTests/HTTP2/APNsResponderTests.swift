import Foundation
import JSON
import SimulatorTools
import TestDoubles
import Testing

@testable import APNsSimulator

@Suite("Answers of the simulator")
struct APNsResponderTests {
    let sample: SampleRequest
    let scripts = ScriptTable()
    let history = NotificationHistory(limits: .init(notifications: 100, payloadBytes: 100_000))
    var configuration = APNsSimulatorConfiguration()

    init() throws {
        sample = try SampleRequest()
        configuration.now = { Date(timeIntervalSince1970: Double(SampleRequest.now) + 0.25) }
        configuration.makeUUID = { "00000000-0000-4000-8000-000000000001" }
    }

    private func respond(
        to request: APNsRequest, _ configuration: APNsSimulatorConfiguration? = nil
    ) -> APNsResponse {
        let responder = APNsResponder(
            configuration ?? self.configuration, history: history, scripts: scripts, logger: .silent)
        var validator = RequestValidator(rules: sample.rules)
        var providerTokens = ProviderTokenWatch()
        return responder.respond(
            to: request, connection: 7, validator: &validator, providerTokens: &providerTokens)
    }

    private func text(_ response: APNsResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test("An accepted notification is answered with its id and a unique id, without a body")
    func accepted() throws {
        let response = respond(to: try sample.request())
        #expect(response.status == 200)
        #expect(response.apnsID == SampleRequest.id)
        #expect(response.uniqueID == "00000000-0000-4000-8000-000000000001")
        #expect(response.body.isEmpty)
        #expect(response.delay == .zero)
    }

    @Test("An answer of production has no unique id")
    func production() throws {
        var configuration = configuration
        configuration.environment = .production
        let response = respond(to: try sample.request(), configuration)
        #expect(response.status == 200)
        #expect(response.uniqueID == nil)
    }

    @Test("A request without an id, or with an invalid one, gets a new id", arguments: [nil, "x"])
    func madeID(id: String?) throws {
        let response = respond(to: try sample.request(["apns-id": id]))
        #expect(response.apnsID == "00000000-0000-4000-8000-000000000001")
        #expect(history.page(matching: .all).entries.first?.apnsID == response.apnsID)
    }

    @Test("A refusal has its reason as JSON, without a unique id and timestamp")
    func refused() throws {
        let response = respond(to: try sample.request(["apns-priority": "7"]))
        #expect(response.status == 400)
        #expect(response.apnsID == SampleRequest.id)
        #expect(response.uniqueID == nil)
        #expect(text(response) == #"{"reason":"BadPriority"}"#)
    }

    @Test("Only a 410 has a timestamp in milliseconds: the scripted one, or the time of the answer")
    func timestamp() throws {
        scripts.answers.append(
            [
                .rejecting(.unregistered, timestamp: 1_700_000_000_000), .rejecting(.expiredToken),
                .rejecting(.badDeviceToken, timestamp: 5),
            ], for: SampleRequest.deviceToken)
        let request = try sample.request()
        #expect(text(respond(to: request)) == #"{"reason":"Unregistered","timestamp":1700000000000}"#)
        #expect(text(respond(to: request)) == #"{"reason":"ExpiredToken","timestamp":1800000000250}"#)
        #expect(text(respond(to: request)) == #"{"reason":"BadDeviceToken"}"#)
        #expect(respond(to: request).status == 200)
    }

    @Test("A script may add retry-after, a delay and an unknown reason")
    func scripted() throws {
        scripts.answers.append(
            [ScriptedAnswer(status: 503, reason: "Tea \"break\"", delay: .milliseconds(40), retryAfter: 30)], for: nil)
        var configuration = configuration
        configuration.latency = .milliseconds(2)
        let response = respond(to: try sample.request(), configuration)
        #expect(response.retryAfter == 30)
        #expect(text(response) == #"{"reason":"Tea \"break\""}"#)
        #expect(response.delay == .milliseconds(42))
    }

    @Test("A request is validated before a script applies")
    func validationFirst() throws {
        scripts.answers.append([.rejecting(.unregistered)], for: nil)
        #expect(respond(to: try sample.request(["apns-topic": nil])).reason == "MissingTopic")
        #expect(respond(to: try sample.request()).reason == "Unregistered")
    }

    @Test("The history keeps the request, its answer and the provider token's claims, without the token")
    func recorded() throws {
        _ = respond(to: try sample.request())
        let notification = try #require(history.page(matching: .all).entries.first)
        #expect(notification.connection == 7)
        #expect(notification.receivedAt == SampleRequest.now * 1000 + 250)
        #expect(notification.token == SampleRequest.deviceToken)
        #expect(notification.topic == "com.example.app")
        #expect(notification.collapseID == "run-42")
        #expect(notification.payload == ["aps": ["alert": "Done"]])
        #expect(notification.status == 200)
        #expect(notification.providerToken?.issuedAt == SampleRequest.now - 60)
        let names = notification.headers.map(\.name)
        #expect(names.allSatisfy { $0.hasPrefix("apns-") })
        #expect(names.count == 6)
        let jwt = try #require(try sample.request().headers.first { $0.name == "authorization" }?.value.dropFirst(7))
        let shown = notification.json.text
        #expect(!shown.contains(jwt.split(separator: ".")[0]))
    }
}
