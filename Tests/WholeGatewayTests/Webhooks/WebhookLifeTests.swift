import Cryptography
import Foundation
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Webhooks of a gateway", .timeLimit(.minutes(10)))
struct WebhookLifeTests {
    private static let path = "/v1/webhooks"

    private func send(_ gateway: RunningGateway) async throws -> String {
        let sent = try await gateway.ask("/v1/deliveries", .post, ["to": "emulated:phone", "body": "private words"])
        return try #require(sent.body["id"]?.string)
    }

    /// Returns `true` if a request has the signature of a secret.
    private func isSigned(_ request: WebhookReceiver.Received, by secret: String) -> Bool {
        let key = Array(Data(base64Encoded: String(secret.dropFirst("whsec_".count))) ?? Data())
        let signed = "\(request.field("webhook-id")).\(request.field("webhook-timestamp"))."
        let code = HMACSHA256.code(for: Array(signed.utf8) + request.body, key: key)
        return request.field("webhook-signature") == "v1," + Data(code).base64EncodedString()
    }

    @Test("An outcome reaches a private URL of the configuration, signed, without the token and the text")
    func outcome() async throws {
        try await withWebhookReceiver { receiver in
            try await withGateway(["webhooks.urls": "\(receiver.url)/api/webhook/hidden"]) { gateway in
                let id = try await send(gateway)
                try await eventually("the event arrives") { !receiver.received.isEmpty }
                let request = try #require(receiver.received.first)
                #expect(request.path == "/api/webhook/hidden" && request.field("content-type") == "application/json")
                let event = try JSONValue(parsing: request.body)
                #expect(event["type"] == "notifications.settled" && event["data"]?["message"] == .string(id))
                #expect(event["data"]?["source"] == "admin")
                let notification = event["data"]?["notifications"]?[0]
                #expect(notification?["outcome"] == "accepted")
                #expect(notification?["token_sha256"] == .string(SHA256.hexadecimal(of: "emulated:phone")))
                let text = String(decoding: request.body, as: UTF8.self)
                #expect(!text.contains("emulated:phone") && !text.contains("private words"))
                let webhook = try await gateway.ask(Self.path).body["webhooks"]?[0]
                #expect(webhook?["configured"] == true)
                #expect(webhook?["secret"] == nil)
                let path = "\(Self.path)/\(webhook?["id"]?.string ?? "")/secret"
                let secret = try await gateway.ask(path).body["secret"]?.string
                #expect(isSigned(request, by: secret ?? ""))
                #expect(gateway.log.lines.filter { $0.contains("hidden") } == [])
            }
        }
    }

    @Test("A decision about an approval reaches the run's server once, without a text of the run")
    func decision() async throws {
        try await withWebhookReceiver { receiver in
            let key = "a-key-of-this-test-0001"
            let settings = [
                "webhooks.urls": "\(receiver.url)/runs", "webhooks.events": "approval.decided",
                "functions.runs.enabled": "true", "functions.runs.apiKeys": key,
            ]
            try await withGateway(settings) { gateway in
                func call(_ path: String, _ body: JSONValue) async throws -> Int {
                    try await gateway.caller.send(
                        .post, path, headerFields: [.authorization: "Bearer \(key)"], body: body.serialized
                    ).status
                }
                let request: JSONValue = [
                    "id": "e1", "run_id": "run-1", "type": "approval_requested",
                    "data": ["approval_id": "a-1", "server_id": "s-1", "prompt_preview": "private words"],
                ]
                #expect(try await call("/api/events", request) == 202)
                for (decision, status) in [("approve", 200), ("approve", 200), ("deny", 409)] {
                    #expect(try await call("/api/approvals/a-1", ["decision": .string(decision)]) == status)
                }
                // A test's event comes after those that wait.
                let webhook = try await gateway.ask(Self.path).body["webhooks"]?[0]?["id"]?.string ?? ""
                _ = try await gateway.ask("\(Self.path)/\(webhook)/test", .post)
                try await eventually("both events arrive") { receiver.received.count >= 2 }
            }
            let events = try receiver.received.map { try JSONValue(parsing: $0.body) }
            #expect(events.map { $0["type"] } == ["approval.decided", "webhook.test"])
            let data = events.first?["data"]
            #expect(data?["approval_id"] == "a-1" && data?["run_id"] == "run-1" && data?["server_id"] == "s-1")
            #expect(data?["decision"] == "approved" && data?["decided_at"]?.integer != nil)
            let text = String(decoding: receiver.received.first?.body ?? [], as: UTF8.self)
            #expect(!text.contains("private words"))
        }
    }

    @Test("A redirect is not followed, and the event is sent again with the same id and the secret of the settings")
    func redirect() async throws {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        try await withWebhookReceiver(answering: [302]) { receiver in
            try await withGateway(["webhooks.urls": receiver.url, "webhooks.secret": secret]) { gateway in
                _ = try await send(gateway)
                try await eventually("the event arrives twice") { receiver.received.count == 2 }
                let ids = receiver.received.map { $0.field("webhook-id") }
                #expect(ids[0] == ids[1] && !receiver.received.contains { $0.path == "/elsewhere" })
                for request in receiver.received { #expect(isSigned(request, by: secret)) }
                #expect(gateway.log.lines.contains { $0.contains("the receiver answered 302") })
            }
        }
    }

    @Test("An event that nobody took before a restart is sent after it")
    func restart() async throws {
        try await withDataDirectory { directory in
            var events: [String] = []
            try await withWebhookReceiver(answering: Array(repeating: 503, count: 1_000)) { receiver in
                let settings = ["webhooks.urls": "\(receiver.url)/"]
                try await withGateway(settings, in: directory) { gateway in
                    _ = try await send(gateway)
                    try await eventually("the receiver refuses the event") { !receiver.received.isEmpty }
                    events = receiver.received.map { $0.field("webhook-id") }
                }
                let before = receiver.received.count
                // A process holds its data directory as long as it lives, so the second gateway gets a copy.
                let restored = directory + "-restored"
                try FileManager.default.copyItem(atPath: directory, toPath: restored)
                try await withGateway(settings, in: restored) { _ in
                    try await eventually("the event is sent again") { receiver.received.count > before }
                    #expect(receiver.received.last?.field("webhook-id") == events.first)
                }
            }
        }
    }

    @Test("A webhook that is made at run time is listed and removed, and leads to the internet only")
    func runTime() async throws {
        try await withWebhookReceiver { receiver in
            try await withGateway { gateway in
                for url in [receiver.url, "https://127.0.0.1/", "https://[::1]/", "https://router/", "nothing"] {
                    let refused = try await gateway.ask(Self.path, .post, ["url": .string(url)])
                    #expect(refused.status == 400 && refused.text.contains("webhooks.urls"), "\(refused.text)")
                }
                for body: JSONValue in [
                    ["url": "https://hooks.example.com/", "events": ["everything"]],
                    ["url": "https://hooks.example.com/", "events": []], ["uri": "https://hooks.example.com/"], [:],
                ] {
                    #expect(try await gateway.ask(Self.path, .post, body).status == 400)
                }
                let made = try await gateway.ask(
                    Self.path, .post, ["url": "https://hooks.invalid/a", "events": ["app.held_up"]])
                let id = try #require(made.body["id"]?.string)
                #expect(made.body["secret"]?.string?.hasPrefix("whsec_") == true && made.body["configured"] == false)
                var listed = try #require(made.body.object)
                listed["secret"] = nil
                #expect(try await gateway.ask(Self.path).body["webhooks"] == [.object(listed)])
                #expect(try await gateway.ask("\(Self.path)/\(id)/secret").body["secret"] == made.body["secret"])
                #expect(try await gateway.ask("\(Self.path)/nothing/secret").status == 404)
                #expect(try await gateway.caller.send(.get, "\(Self.path)/\(id)/secret").status == 401)
                #expect(try await gateway.ask("\(Self.path)/nothing/test", .post).status == 404)
                #expect(try await gateway.ask("\(Self.path)/\(id)", .delete).status == 200)
                #expect(try await gateway.ask("\(Self.path)/\(id)", .delete).status == 404)
                #expect(try await gateway.ask(Self.path).body["webhooks"] == [])
                #expect(try await gateway.caller.send(.get, Self.path).status == 401)
                #expect(receiver.received.isEmpty)
            }
        }
    }

    @Test("The console adds, tries and removes webhooks, and shows no path to those who only read")
    func console() async throws {
        let readToken = "reads-only-0123456789"
        try await withWebhookReceiver { receiver in
            let settings = ["webhooks.urls": "\(receiver.url)/hidden", "admin.readToken": readToken]
            try await withGateway(settings) { gateway in
                let (admin, reader) = (
                    try await ConsoleUser(gateway), try await ConsoleUser(gateway, token: readToken)
                )
                let path = "/console/webhooks"
                let refused = try await admin.post(path, ["action": "add", "url": "https://127.0.0.1/"])
                #expect(refused.status == 400 && refused.text.contains("webhooks.urls"))
                let form = [
                    "action": "add", "url": "https://hooks.invalid/covert", "events": "app.held_up,app.resumed",
                ]
                let added = try await admin.post(path, form)
                #expect(added.status == 200 && added.text.contains("whsec_"))
                let webhooks = try await gateway.ask(Self.path).body["webhooks"]?.array ?? []
                #expect(webhooks.count == 2 && webhooks[1]["events"] == ["app.held_up", "app.resumed"])
                let (all, some) = (try await admin.get(path).text, try await reader.get(path).text)
                for secret in ["/hidden", "/covert"] { #expect(all.contains(secret) && !some.contains(secret)) }
                #expect(try await reader.post(path, ["action": "test", "id": "x"]).status == 403)
                for collection in ["webhooks", "webhookQueues"] {
                    #expect(try await reader.get("/console/documents?path=\(collection)").status == 403)
                }
                let configured = webhooks[0]["id"]?.string ?? ""
                #expect(try await admin.post(path, ["action": "test", "id": configured]).status == 303)
                try await eventually("the test arrives") { receiver.received.count == 1 }
                #expect(try await admin.post(path, ["action": "remove", "id": configured]).status == 404)
                let made = webhooks[1]["id"]?.string ?? ""
                #expect(try await admin.post(path, ["action": "remove", "id": made]).status == 303)
                #expect(try await gateway.ask(Self.path).body["webhooks"]?.array?.count == 1)
            }
        }
    }

    @Test("The event that tries a webhook arrives")
    func trial() async throws {
        try await withWebhookReceiver { receiver in
            try await withGateway(["webhooks.urls": receiver.url, "webhooks.events": "app.held_up"]) { gateway in
                let id = try #require(try await gateway.ask(Self.path).body["webhooks"]?[0]?["id"]?.string)
                let tried = try await gateway.ask("\(Self.path)/\(id)/test", .post)
                try await eventually("the event arrives") { !receiver.received.isEmpty }
                #expect(receiver.received.first?.field("webhook-id") == tried.body["id"]?.string)
                _ = try await gateway.settledDelivery(try await send(gateway))
                #expect(receiver.received.count == 1)
            }
        }
    }
}
