import DocumentStore
import Foundation
import GoogleStandIn
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Gateway with a relay to FCM", .timeLimit(.minutes(10)))
struct RelayTests {
    private let token = String.foreignToken

    private func withRelay(_ body: (GoogleStandIn, RunningGateway, String) async throws -> Void) async throws {
        try await withGoogle { google in
            try await withTemporaryDirectory { directory in
                let account = directory + "/account.json"
                try Data(JSONValue.object(google.serviceAccount).serialized).write(to: URL(fileURLWithPath: account))
                let settings = ["fcm.relay.serviceAccount": account, "fcm.relay.endpoint": google.url]
                try await withGateway(settings, in: directory + "/data") { gateway in
                    try await body(google, gateway, try await gateway.accessToken())
                }
            }
        }
    }

    @Test("A message to one of Google's tokens is relayed with all its fields")
    func handsOn() async throws {
        try await withRelay { google, gateway, bearer in
            let message: JSONValue = [
                "token": .string(token), "notification": ["title": "Hello"], "android": ["priority": "high"],
            ]
            #expect(try await gateway.sendMessage(message, bearer: bearer).status == 200)
            let sent = try #require(google.sent.first)
            #expect(google.sent.count == 1 && sent.token == token)
            #expect(sent.body["message"]?["notification"] == ["title": "Hello"])
            #expect(sent.body["message"]?["android"] == ["priority": "HIGH"])
        }
    }

    @Test(
        "A relayed message expires after the lifetime in the part for its platform, Android or the web",
        arguments: [("android", ["ttl": "60s"]), ("webpush", ["headers": ["TTL": "60"]])] as [(String, JSONValue)])
    func lifetime(part: String, contents: JSONValue) async throws {
        try await withRelay { google, gateway, bearer in
            var message: JSONObject = ["token": .string(token)]
            message[part] = contents
            let answer = try await gateway.sendMessage(.object(message), bearer: bearer)
            let id = try #require(answer.body["name"]?.string?.split(separator: "/").last)
            let delivery = try await gateway.ask("/v1/deliveries/\(id)").body
            let times = try ["accepted_at", "expires_at"].map { name in
                let text = try #require(delivery[name]?.string)
                return try #require(Timestamp(text))
            }
            #expect(times[1] - times[0] == .seconds(60))
        }
    }

    @Test("A relayed send answers Google's errors, and the error of Apple in them")
    func errors() async throws {
        try await withRelay { google, gateway, bearer in
            google.answer(token, with: .unregistered, .senderIDMismatch, .refusedByAPNs(400, "BadCollapseId"))
            let gone = try await gateway.sendMessage(["token": .string(token)], bearer: bearer)
            #expect(gone.status == 404 && gone.errorCode == "UNREGISTERED")
            let mismatch = try await gateway.sendMessage(["token": .string(token)], bearer: bearer)
            #expect(mismatch.status == 403 && mismatch.errorCode == "SENDER_ID_MISMATCH")
            let refused = try await gateway.sendMessage(["token": .string(token)], bearer: bearer)
            #expect(refused.status == 400 && refused.errorCode == "INVALID_ARGUMENT")
            #expect(
                refused.body["error"]?["details"]?.array?.last == [
                    "@type": "type.googleapis.com/google.firebase.fcm.v1.ApnsError", "statusCode": 400,
                    "reason": "BadCollapseId",
                ])
        }
    }

    @Test("A text that cannot be one of Google's tokens is not relayed, and a topic message is")
    func others() async throws {
        try await withRelay { google, gateway, bearer in
            let stranger = try await gateway.sendMessage(["token": "my-phone"], bearer: bearer)
            #expect(stranger.status == 400)
            let batch: JSONValue = ["to": "/topics/news", "registration_tokens": [.string(token)]]
            #expect(try await gateway.fcm(.post, "/iid/v1:batchAdd", batch, bearer: bearer).status == 200)
            #expect(try await gateway.sendMessage(["topic": "news"], bearer: bearer).status == 200)
            #expect(await eventually { google.sent.map(\.token) == [token] })
        }
    }
}
