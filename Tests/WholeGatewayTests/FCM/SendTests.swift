import Cryptography
import Gateway
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Sends by messages:send", .timeLimit(.minutes(10)))
struct SendTests {
    private let message: JSONValue = ["token": "phone", "notification": ["title": "Hello"]]

    @Test("Without credentials a message to any token is in the inbox")
    func emulated() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.sendMessage(message)
            #expect(answer.status == 200)
            #expect(answer.body["name"]?.string?.hasPrefix("projects/pushgate/messages/") == true)
            let inbox = try await gateway.ask("/emulator/v1/inbox").body["notifications"]?.array ?? []
            #expect(inbox.map { $0["message"] } == [["notification": ["title": "Hello"]]])
        }
    }

    @Test("Without credentials a message to any installation id is in the inbox")
    func installation() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.sendMessage(["fid": "cAAAAAAAAAAAAAAAAAAAAA"])
            #expect(answer.status == 200)
            let inbox = try await gateway.ask("/emulator/v1/inbox")
            #expect(inbox.body["notifications"]?.array?.count == 1)
        }
    }

    @Test("A dry run delivers nothing, and reports invalid fields")
    func dryRun() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.sendMessage(message, isDryRun: true)
            #expect(answer.body == ["name": "projects/pushgate/messages/fake_message_id"])
            #expect(try await gateway.sendMessage(["token": "a", "data": ["from": "b"]], isDryRun: true).status == 400)
            #expect(try await gateway.ask("/emulator/v1/inbox").body["notifications"] == [])
        }
    }

    @Test("A dry run refuses a message that is too large for APNs as a send does, and accepts the largest one")
    func dryRunOfSize() async throws {
        try await withGateway { gateway in
            func answers(_ bytes: Int) async throws -> [Answer] {
                let body = String(repeating: "x", count: bytes)
                let message: JSONValue = ["token": "emulated:phone", "apns": ["payload": ["k": .string(body)]]]
                return [
                    try await gateway.sendMessage(message, isDryRun: true), try await gateway.sendMessage(message),
                ]
            }
            // Around the limit, both always agree.
            for bytes in [10, 3_900] + Array(3_930...3_990) + [4_000, 4_097] {
                let answers = try await answers(bytes)
                #expect(answers[0].status == answers[1].status, "\(bytes)")
                #expect(answers[0].body["error"] == answers[1].body["error"], "\(bytes)")
            }
            #expect(try await answers(3_900)[0].status == 200)
            let tooLarge = try await answers(4_097)[0]
            #expect(tooLarge.status == 400)
            #expect(tooLarge.body["error"]?["message"]?.string?.contains("PayloadTooLarge") == true)
        }
    }

    @Test("An invalid message is refused with every wrong field")
    func invalid() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.sendMessage(["token": "a", "notification": ["title": 12, "subtitle": "b"]])
            #expect(answer.status == 400)
            let detail = answer.body["error"]?["details"]?.array?.first
            #expect(detail?["@type"] == "type.googleapis.com/google.rpc.BadRequest")
            #expect(detail?["fieldViolations"]?.array?.count == 2)
            for body in ["", "[]", "{", "null"] {
                let answer = try await gateway.caller.send(
                    .post, "/v1/projects/pushgate/messages:send", body: Array(body.utf8))
                #expect(answer.status == 400 && answer.body["error"]?["status"] == "INVALID_ARGUMENT")
            }
        }
    }

    @Test("A message too large for APNs is refused as by APNs, and one too large for any service answers 413")
    func tooLarge() async throws {
        try await withGateway { gateway in
            let text = JSONValue.string(String(repeating: "x", count: 5_000))
            let refused = try await gateway.sendMessage(["token": "phone", "apns": ["payload": ["text": text]]])
            #expect(refused.status == 400 && refused.errorCode == "INVALID_ARGUMENT")
            #expect(refused.body["error"]?["message"]?.string?.contains("PayloadTooLarge") == true)
            #expect(try await gateway.ask("/emulator/v1/inbox").body["notifications"] == [])
            let body = JSONValue.string(String(repeating: "x", count: 64 * 1024))
            let huge = try await gateway.sendMessage(["token": "phone", "notification": ["body": body]])
            #expect(huge.status == 413 && huge.body["error"]?["status"] == "INVALID_ARGUMENT")
        }
    }

    @Test(
        "A scripted error is answered, and the message is not accepted",
        arguments: [
            ("UNREGISTERED", 404, "NOT_FOUND"), ("INVALID_ARGUMENT", 400, "INVALID_ARGUMENT"),
            ("SENDER_ID_MISMATCH", 403, "PERMISSION_DENIED"), ("QUOTA_EXCEEDED", 429, "RESOURCE_EXHAUSTED"),
            ("THIRD_PARTY_AUTH_ERROR", 401, "UNAUTHENTICATED"), ("INTERNAL", 500, "INTERNAL"),
            ("UNAVAILABLE", 503, "UNAVAILABLE"),
        ])
    func scripted(code: String, status: Int, name: String) async throws {
        try await withGateway { gateway in
            #expect(try await gateway.script(["errorCode": .string(code), "token": "phone", "times": 1]).status == 200)
            #expect(try await gateway.sendMessage(["token": "tablet"]).status == 200)
            let answer = try await gateway.sendMessage(message)
            #expect(answer.status == status && answer.errorCode == code)
            #expect(answer.body["error"]?["status"] == .string(name))
            #expect(try await gateway.sendMessage(message).status == 200)
            #expect(try await gateway.ask("/emulator/v1/inbox").body["notifications"]?.array?.count == 2)
        }
    }

    @Test("An invalid script is refused with the values that are allowed")
    func badScripts() async throws {
        try await withGateway { gateway in
            let scripts: [(JSONValue, String)] = [
                (["errorCode": "GONE"], "errorCode must be one of UNREGISTERED, INVALID_ARGUMENT, "),
                (["times": 0], "times must be a whole number from 1 to 1000000"),
                (["delay": "soon"], "delay must be a duration like 500ms or 2s"),
                (["delay": "2m"], "at most a minute"), (["token": ""], "token must be a registration token"),
                (["error": "INTERNAL"], "“error” is not a member of a script"),
            ]
            for (script, words) in scripts {
                let answer = try await gateway.script(script)
                #expect(answer.status == 400)
                #expect(answer.body["error"]?["message"]?.string?.contains(words) == true)
            }
            let answer = try await gateway.ask("/emulator/v1/scripts")
            #expect(answer.body == ["scripts": []])
        }
    }

    @Test("Scripts need the admin token")
    func scriptsOfStrangers() async throws {
        try await withGateway { gateway in
            for bearer in [nil, "owner"] {
                for (method, body): (HTTPRequest.Method, JSONValue?) in [
                    (.get, nil), (.post, ["errorCode": "INTERNAL"]), (.delete, nil),
                ] {
                    let answer = try await gateway.fcm(method, "/emulator/v1/scripts", body, bearer: bearer)
                    #expect(answer.status == 401)
                }
            }
            #expect(try await gateway.ask("/emulator/v1/scripts").body == ["scripts": []])
        }
    }

    @Test("Without credentials any assertion gets the emulator's access token")
    func accessToken() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.caller.send(.post, "/token", body: Array("grant_type=x".utf8))
            #expect(answer.status == 200)
            #expect(answer.body == ["access_token": "owner", "expires_in": 3_600, "token_type": "Bearer"])
            #expect(answer.headerFields[.cacheControl] == "no-store")
        }
    }

    @Test("A topic message reaches the subscribers of both interfaces, and the inbox finds it by topic")
    func topics() async throws {
        try await withGateway { gateway in
            let path = "/v1/projects/pushgate/registrations/a/topicSubscriptions"
            let created = try await gateway.fcm(.post, path + "?topic_name=news", [:])
            #expect(created.status == 200 && created.body["topicName"] == "news")
            #expect(try await gateway.fcm(.post, path + "?topicName=news", [:]).status == 409)
            let batch: JSONValue = ["to": "/topics/news", "registration_tokens": ["b", "c"]]
            #expect(try await gateway.fcm(.post, "/iid/v1:batchAdd", batch).body == ["results": [[:], [:]]])
            #expect(try await gateway.fcm(.delete, path + "/news").status == 200)
            #expect(try await gateway.fcm(.delete, path + "/news").status == 404)
            #expect(try await gateway.fcm(.delete, path + "/news?allow_missing=true").status == 200)
            #expect(try await gateway.sendMessage(["topic": "news", "data": ["a": "b"]]).status == 200)
            let inbox = try await gateway.ask("/emulator/v1/inbox?topic=news&wait_for=2")
            #expect(inbox.body["timed_out"] == false)
            let tokens = (inbox.body["notifications"]?.array ?? []).compactMap { $0["token"]?.string }
            #expect(Set(tokens) == Set(["b", "c"].map { "token#" + SHA256.hexadecimal(of: $0).prefix(8) }))
            #expect(try await gateway.ask("/emulator/v1/inbox?topic=other").body["notifications"] == [])
            let details = try await gateway.fcm(.get, "/iid/info/b?details=true").body
            #expect(details["rel"]?["topics"]?["news"]?["addDate"]?.string?.count == 10)
        }
    }
}
