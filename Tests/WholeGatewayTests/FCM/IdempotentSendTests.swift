import Foundation
import Gateway
import HTTPTypes
import JSON
import Secrets
import TestBasics
import TestSupport
import Testing

@Suite("Sends with an Idempotency-Key", .timeLimit(.minutes(10)))
struct IdempotentSendTests {
    private static let send = "/v1/projects/pushgate/messages:send"
    private let message: JSONValue = ["message": ["token": "phone", "notification": ["title": "Hello"]]]

    private func post(
        _ path: String, _ body: JSONValue, key: String?, to gateway: RunningGateway, bearer: String = "owner"
    ) async throws -> Answer {
        var headerFields: HTTPFields = [.contentType: "application/json", .authorization: "Bearer \(bearer)"]
        headerFields[try #require(HTTPField.Name("Idempotency-Key"))] = key
        return try await gateway.caller.send(.post, path, headerFields: headerFields, body: body.serialized)
    }

    private func inbox(of gateway: RunningGateway) async throws -> Int {
        try await gateway.ask("/emulator/v1/inbox").body["notifications"]?.array?.count ?? 0
    }

    @Test("A repetition of messages:send gets the same name and sends nothing; another body is 409")
    func repetition() async throws {
        try await withGateway { gateway in
            let first = try await post(Self.send, message, key: "\"k\"", to: gateway)
            #expect(first.status == 200)
            #expect(try await post(Self.send, message, key: "\"k\"", to: gateway).body == first.body)
            let other: JSONValue = ["message": ["token": "tablet"]]
            let conflict = try await post(Self.send, other, key: "\"k\"", to: gateway)
            #expect(conflict.status == 409 && conflict.body["error"]?["status"] == "ALREADY_EXISTS")
            #expect(try await inbox(of: gateway) == 1)
            #expect(try await post(Self.send, message, key: nil, to: gateway).body != first.body)
            #expect(try await inbox(of: gateway) == 2)
        }
    }

    @Test("A message to a topic is accepted once")
    func topic() async throws {
        try await withGateway { gateway in
            let body: JSONValue = ["message": ["topic": "news", "notification": ["title": "Hello"]]]
            let first = try await post(Self.send, body, key: "k", to: gateway)
            #expect(try await post(Self.send, body, key: "k", to: gateway).body == first.body)
            #expect(try await gateway.ask("/v1/deliveries").body["deliveries"]?.array?.count == 1)
        }
    }

    @Test("A rejection is repeated as it was, and a request that was refused before is processed again")
    func refusals() async throws {
        try await withGateway { gateway in
            let text = String(repeating: "x", count: 4_097)
            let large: JSONValue = ["message": ["token": "emulated:x", "apns": ["payload": ["k": .string(text)]]]]
            let first = try await post(Self.send, large, key: "large", to: gateway)
            #expect(first.status == 400)
            #expect(try await post(Self.send, large, key: "large", to: gateway).body == first.body)
            #expect(try await gateway.ask("/v1/deliveries").body["deliveries"]?.array?.count == 1)

            #expect(try await gateway.script(["errorCode": "UNAVAILABLE", "token": "phone", "times": 1]).status == 200)
            #expect(try await post(Self.send, message, key: "again", to: gateway).status == 503)
            #expect(try await post(Self.send, message, key: "again", to: gateway).status == 200)
        }
    }

    @Test("A body with a mistake is refused before the key is looked at, and a dry run has no key")
    func checks() async throws {
        try await withGateway { gateway in
            let invalid = try await post(Self.send, ["message": ["tokn": "x"]], key: "a,b", to: gateway)
            #expect(invalid.status == 400 && !invalid.text.contains("Idempotency-Key"))
            let key = try await post(Self.send, message, key: "a,b", to: gateway)
            #expect(key.status == 400 && key.text.contains("Idempotency-Key"))
            let dryRun: JSONValue = ["validateOnly": true, "message": ["token": "phone"]]
            #expect(try await post(Self.send, dryRun, key: "k", to: gateway).status == 200)
            #expect(try await post(Self.send, message, key: "k", to: gateway).status == 200)
        }
    }

    @Test("A repetition after a restart gets the first answer, by POST /v1/deliveries too")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            let body: JSONValue = ["to": "emulated:phone", "title": "Hello"]
            var answers: [JSONValue] = []
            for data in ["/data", "/data-restored"] {
                try await withGateway([:], in: directory + data) { gateway in
                    let admin = gateway.gateway.adminToken.value
                    answers.append(
                        try await post("/v1/deliveries", body, key: "k", to: gateway, bearer: admin).body)
                    answers.append(try await post(Self.send, message, key: "k", to: gateway).body)
                    #expect(try await gateway.ask("/v1/deliveries").body["deliveries"]?.array?.count == 2)
                }
                // A process holds its data directory as long as it lives, so the second gateway gets a copy.
                guard data == "/data" else { continue }
                try FileManager.default.copyItem(atPath: directory + data, toPath: directory + "/data-restored")
            }
            #expect(answers.count == 4 && answers[0] == answers[2] && answers[1] == answers[3])
            #expect(answers[0]["id"]?.string?.isEmpty == false && answers[0]["id"] != answers[1]["name"])
        }
    }
}
