import Cryptography
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Publishing on a gateway", .timeLimit(.minutes(10)))
struct PublishingLifeTests {
    private static let settings = ["functions.publishing.enabled": "true"]
    private static let keys = "/v1/keys/publish"

    private func token(_ gateway: RunningGateway, _ scope: String) async throws -> (id: String, text: String) {
        let made = try await gateway.ask(Self.keys, .post, ["name": "ci", "scope": .string(scope)])
        #expect(made.status == 200, "\(made.text)")
        return (try #require(made.body["id"]?.string), try #require(made.body["key"]?.string))
    }

    private func publish(
        _ gateway: RunningGateway, _ text: String, to path: String, by token: String?, _ more: HTTPFields = [:]
    ) async throws -> Answer {
        var fields = more
        fields[.authorization] = token.map { "Bearer \($0)" }
        fields[.contentType] = "application/x-www-form-urlencoded"
        return try await gateway.caller.send(.post, path, headerFields: fields, body: Array(text.utf8))
    }

    @Test("One line notifies the subscribers of the token's topic, and no others")
    func publishes() async throws {
        try await withGateway(Self.settings) { gateway in
            for (topic, device) in [("builds", "a"), ("other", "b")] {
                let batch: JSONValue = ["to": .string("/topics/\(topic)"), "registration_tokens": [.string(device)]]
                #expect(try await gateway.fcm(.post, "/iid/v1:batchAdd", batch).status == 200)
            }
            let token = try await token(gateway, "publish:builds")
            let answer = try await publish(gateway, "done\n", to: "/publish/builds", by: token.text)
            #expect(answer.status == 200 && answer.body["topic"] == "builds", "\(answer.text)")
            let inbox = try await gateway.ask("/emulator/v1/inbox?topic=builds&wait_for=1").body
            let notifications = inbox["notifications"]?.array ?? []
            #expect(notifications.count == 1 && notifications[0]["message"]?["notification"]?["body"] == "done")
            #expect(try await gateway.ask("/emulator/v1/inbox?topic=other").body["notifications"] == [])
            let id = try #require(answer.body["id"]?.string)
            let delivery = try await gateway.settledDelivery(id)
            #expect(delivery["source"] == "publish" && delivery["accepted"] == 1)
        }
    }

    @Test("A token is for its topic alone, in its header alone, until it is revoked")
    func rights() async throws {
        try await withGateway(Self.settings) { gateway in
            let token = try await token(gateway, "publish:builds")
            #expect(try await publish(gateway, "x", to: "/publish/other", by: token.text).status == 403)
            #expect(try await publish(gateway, "x", to: "/publish/builds?auth=\(token.text)", by: nil).status == 401)
            #expect(try await publish(gateway, "x", to: "/publish/builds", by: "push_0123456789abcdef").status == 401)
            let bearer: HTTPFields = [.authorization: "Bearer \(token.text)"]
            #expect(try await gateway.caller.send(.get, "/v1/deliveries", headerFields: bearer).status == 401)
            #expect(try await publish(gateway, "x", to: "/publish/builds", by: token.text).status == 200)
            #expect(try await gateway.ask("\(Self.keys)/\(token.id)", .delete).status == 200)
            #expect(try await gateway.ask("\(Self.keys)/\(token.id)", .delete).status == 404)
            #expect(try await publish(gateway, "x", to: "/publish/builds", by: token.text).status == 401)
            #expect(try await gateway.ask("/v1/deliveries").body["deliveries"]?.array?.count == 1)
        }
    }

    @Test("A token that reads opens the deliveries, and neither publishes nor changes anything")
    func reads() async throws {
        try await withGateway(Self.settings) { gateway in
            let token = try await token(gateway, "read")
            let bearer: HTTPFields = [.authorization: "Bearer \(token.text)"]
            let sent = try await gateway.ask("/v1/deliveries", .post, ["to": "emulated:a", "body": "secret"])
            let id = try #require(sent.body["id"]?.string)
            let list = try await gateway.caller.send(.get, "/v1/deliveries", headerFields: bearer)
            #expect(list.body["deliveries"]?[0]?["id"] == .string(id))
            for path in ["/v1/deliveries/\(id)", "/v1/deliveries?since=", "/v1/scheduled"] {
                #expect(try await gateway.caller.send(.get, path, headerFields: bearer).status == 200, "\(path)")
            }
            #expect(try await gateway.caller.send(.delete, "/v1/deliveries/\(id)", headerFields: bearer).status == 401)
            let another = try await gateway.caller.send(
                .post, "/v1/deliveries", headerFields: bearer, body: Array(#"{"to":"emulated:a","body":"x"}"#.utf8))
            #expect(another.status == 401)
            for path in ["/v1/servers", "/v1/keys/publish", "/emulator/v1/inbox"] {
                #expect(try await gateway.caller.send(.get, path, headerFields: bearer).status == 401, "\(path)")
            }
            #expect(try await publish(gateway, "x", to: "/publish/builds", by: token.text).status == 403)
            #expect(try await gateway.ask("/v1/deliveries").body["deliveries"]?.array?.count == 1)
        }
    }

    @Test("A token that reads sees no id with which it could act for a device")
    func credentials() async throws {
        let settings = Self.settings.merging(["functions.humantasks.enabled": "true"]) { $1 }
        try await withGateway(settings) { gateway in
            let device = try await gateway.caller.send(
                .post, "/api/devices/register", headerFields: [:], body: Array(#"{"name":"Phone"}"#.utf8)
            ).body
            let id = try #require(device["id"]?.string)
            let key: HTTPFields = [.authorization: "Bearer \(device["mcp_token"]?.string ?? "")"]
            let registered = try await gateway.caller.send(
                .post, "/api/devices/\(id)/apns-token", headerFields: key,
                body: Array(#"{"token":"emulated:phone"}"#.utf8))
            #expect(registered.status < 300, "\(registered.text)")
            let path = "humanTaskTokens/\(id)"
            let sent = try await gateway.ask("/v1/deliveries", .post, ["to": .string(path), "body": "x"])
            let message = try #require(sent.body["id"]?.string, "\(sent.text)")
            let token = try await token(gateway, "read")
            let bearer: HTTPFields = [.authorization: "Bearer \(token.text)"]
            let read = try await gateway.caller.send(.get, "/v1/deliveries/\(message)", headerFields: bearer)
            #expect(read.body["notifications"]?.array?.count == 1 && !read.text.contains(id), "\(read.text)")
            let operators = try await gateway.ask("/v1/deliveries/\(message)")
            #expect(operators.body["notifications"]?[0]?["registration"] == .string(path))
        }
    }

    @Test("The store has a token's digest, and neither the list nor the log has its text")
    func secrecy() async throws {
        try await withGateway(Self.settings) { gateway in
            let token = try await token(gateway, "publish:builds")
            #expect(try await publish(gateway, "x", to: "/publish/builds", by: token.text).status == 200)
            let document = try await gateway.ask(
                "/v1/projects/pushgate/databases/(default)/documents/publishTokens/\(token.id)")
            #expect(document.status == 200 && document.text.contains(SHA256.hexadecimal(of: token.text)))
            #expect(!document.text.contains(token.text))
            let list = try await gateway.ask(Self.keys)
            #expect(list.body["keys"]?[0]?["prefix"] == .string(String(token.text.prefix(10))))
            #expect(list.body["keys"]?[0]?["last_used_at"] != nil && !list.text.contains(token.text))
            #expect(!gateway.log.lines.contains { $0.contains(token.text) })
        }
    }

    @Test("A mistake in making a token says what to do")
    func mistakes() async throws {
        try await withGateway(Self.settings) { gateway in
            let cases: [(JSONValue, String)] = [
                (["name": "a", "scope": "write"], "publish:TOPIC or read"),
                (["name": "a", "scope": "publish:a b"], "publish:TOPIC or read"),
                (["name": "", "scope": "read"], "1 to 120 characters"),
                (["name": "a", "scopes": ["read"]], "“scopes” is not a member"),
            ]
            for (body, text) in cases {
                let answer = try await gateway.ask(Self.keys, .post, body)
                #expect(answer.status == 400 && answer.text.contains(text), "\(answer.text)")
            }
            #expect(try await gateway.ask(Self.keys).body["keys"] == [])
            let unknown = try await gateway.ask("/v1/keys/nothing")
            #expect(unknown.status == 404 && unknown.text.contains("publish"))
        }
        try await withGateway { gateway in
            let off = try await gateway.ask(Self.keys)
            #expect(off.status == 404 && off.text.contains("functions.publishing.enabled"))
            #expect(try await publish(gateway, "x", to: "/publish/builds", by: "push_x").status == 404)
        }
    }
}
