import APNsSimulator
import Cryptography
import Gateway
import HTTPTypes
import JSON
import TestBasics
import TestDoubles
import TestSupport
import Testing

@Suite("POST /v1/deliveries", .timeLimit(.minutes(10)))
struct SendEndpointTests {
    private static let path = "/v1/deliveries"

    /// Sends a message and returns its only notification, once it has settled.
    private func notification(
        _ message: JSONValue, from gateway: RunningGateway, isSettled: Bool = true
    ) async throws -> JSONValue {
        let answer = try await gateway.ask(Self.path, .post, message)
        #expect(answer.status == 200, "\(answer.text)")
        let id = try #require(answer.body["id"]?.string)
        var notification = JSONValue.null
        let isKnown = try await eventually {
            let delivery = try await gateway.ask("\(Self.path)/\(id)").body
            notification = delivery["notifications"]?[0] ?? .null
            return isSettled ? delivery["pending"] == 0 : notification["failures"] != nil
        }
        #expect(isKnown)
        return notification
    }

    /// Registers a device and returns the path of its document.
    private func register(
        _ device: String, token: String, _ daemon: Daemon, _ more: JSONObject = [:]
    ) async throws -> String {
        let answer = try await daemon.register(device, token: token, more).body
        let (server, agent) = (answer["server_key"]?.string ?? "", answer["agent_key"]?.string ?? "")
        return "servers/\(server)/agents/\(agent)/devices/\(device)"
    }

    @Test("A registration of a system is notified by its path, with title, body and data")
    func registration() async throws {
        try await withGateway { gateway in
            let path = try await register("phone", token: "emulated:phone", Daemon(gateway.caller))
            let message: JSONValue = [
                "to": .string(path), "title": "Hello", "body": "A test", "data": ["kind": "test"],
            ]
            let notification = try await notification(message, from: gateway)
            #expect(notification["state"] == "accepted" && notification["registration"] == .string(path))
            #expect(notification["explanation"]?.string?.contains("inbox") == true)
            let received = try await gateway.ask("/emulator/v1/inbox").body["notifications"]?[0]?["message"]
            #expect(received?["notification"] == ["title": "Hello", "body": "A test"])
            #expect(received?["data"] == ["kind": "test"])
        }
    }

    @Test("Apple's answer is explained, and an invalid registration is removed as for any message")
    func apple() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                let (known, gone) = (String.randomToken(), String.randomToken())
                try await daemon.register("phone", token: known)
                let accepted = try await notification(["to": .string(known), "body": "x"], from: gateway)
                #expect(accepted["state"] == "accepted" && accepted["registration"] == nil)
                #expect(accepted["explanation"]?.string?.hasPrefix("Apple accepted it") == true)
                #expect(apns.simulator.received().last?.payload?["aps"]?["sound"] == "default")

                let path = try await register("tablet", token: gone, daemon, ["apns_environment": "sandbox"])
                apns.simulator.script(token: gone, answers: [ScriptedAnswer(status: 410, reason: "Unregistered")])
                let rejected = try await notification(["to": .string(path), "title": "x"], from: gateway)
                #expect(rejected["state"] == "rejected" && rejected["reason"] == "Unregistered")
                #expect(rejected["explanation"]?.string?.contains("register again") == true)
                let removed = try await eventually {
                    try await daemon.trigger().body["attempted"] == 1
                }
                #expect(removed)
            }
        }
    }

    @Test("A failure shows what to do while the message waits")
    func failure() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let token = String.randomToken()
                apns.simulator.script(
                    token: token, answers: [ScriptedAnswer(status: 403, reason: "InvalidProviderToken")])
                let notification = try await notification(
                    ["to": .string(token), "body": "x", "environment": "sandbox"], from: gateway, isSettled: false)
                #expect(notification["environment"] == "sandbox")
                #expect(notification["failures"]?[0]?["reason"] == "InvalidProviderToken")
                #expect(notification["failures"]?[0]?["explanation"]?.string?.contains("pushgate doctor") == true)
            }
        }
    }

    @Test("A token that this gateway made is known, and one whose registration is gone is not")
    func registrationToken() async throws {
        try await withGateway { gateway in
            let imported = try await gateway.ask(
                "/iid/v1:batchImport", .post,
                [
                    "application": "com.example.app", "sandbox": true,
                    "apns_tokens": [.string(.randomToken())],
                ])
            let token = try #require(imported.body["results"]?[0]?["registration_token"]?.string)
            let sent = try await notification(["to": .string(token), "body": "x"], from: gateway)
            #expect(sent["topic"] == "com.example.app")
            let named = try await gateway.ask(
                Self.path, .post, ["to": .string(token), "body": "x", "environment": "production"])
            #expect(named.status == 400 && named.text.contains("names its app itself"))
            let document = try #require(sent["registration"]?.string)
            #expect(document.hasPrefix("registrations/"))
            let root = "/v1/projects/pushgate/databases/(default)/documents/"
            _ = try await gateway.ask(root + document, .delete)
            let gone = try await gateway.ask(Self.path, .post, ["to": .string(token), "body": "x"])
            #expect(gone.status == 404 && gone.text.contains("must register again"))
            #expect(!gone.text.contains(token))
        }
    }

    @Test(
        "A mistake is answered with what to do",
        arguments: [
            (["body": "x"], 400, "“to” is missing"), (["to": "emulated:1"], 400, "give a title, a body"),
            (["to": "emulated:1", "title": ""], 400, "title must be a text"),
            (["to": "emulated:1", "body": 1], 400, "body must be a text"),
            (["to": "emulated:1", "body": "x", "data": ["a": 1]], 400, "data must be an object of texts"),
            (["to": "emulated:1", "text": "x"], 400, "“text” is not a member"),
            (["to": "emulated:1", "body": "x", "environment": "test"], 400, "sandbox or production"),
            (["to": "servers/nobody", "body": "x"], 404, "there is no document servers/nobody"),
            (["to": "servers/a/b", "body": "x"], 400, "servers/a/b"),
            (["to": "notes/1", "body": "x"], 400, "it has no token"),
            (["to": "notes/1", "body": "x", "bundle_id": "a.b"], 400, "names its app itself"),
        ] as [(JSONValue, Int, String)])
    func mistakes(message: JSONValue, status: Int, text: String) async throws {
        try await withGateway { gateway in
            let note = "/v1/projects/pushgate/databases/(default)/documents/notes?documentId=1"
            #expect(try await gateway.ask(note, .post, ["fields": [:]]).status == 200)
            let answer = try await gateway.ask(Self.path, .post, message)
            #expect(answer.status == status && answer.text.contains(text), "\(answer.text)")
        }
    }

    @Test("It requires the admin token, and refuses unknown apps and tokens that it has no way to")
    func refusals() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let message: JSONValue = ["to": .string(.randomToken()), "body": "x", "bundle_id": "org.example.other"]
                #expect(try await gateway.caller.send(.post, Self.path, body: message.serialized).status == 401)
                let unknown = try await gateway.ask(Self.path, .post, message)
                #expect(unknown.status == 400 && unknown.text.contains("not configured for this bundle_id"))
                let google = String(repeating: "f", count: 22) + ":" + String(repeating: "A", count: 140)
                let foreign = try await gateway.ask(Self.path, .post, ["to": .string(google), "body": "x"])
                #expect(foreign.status == 400 && foreign.text.contains("fcm.relay.serviceAccount"))
                let nothing = try await gateway.ask(Self.path, .post, ["to": "phone", "body": "x"])
                #expect(nothing.status == 400 && nothing.text.contains("neither the path of a registration"))
            }
        }
    }
}
