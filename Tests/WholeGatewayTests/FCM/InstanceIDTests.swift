import APNsSimulator
import Gateway
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Instance ID API", .timeLimit(.minutes(10)))
struct InstanceIDTests {
    private func tokens(_ count: Int) -> JSONValue {
        .array((0..<count).map { .string("fid\($0):APA91b" + String(repeating: "x", count: 134)) })
    }

    @Test(
        "A batch of topic subscriptions answers one result for each registration token",
        arguments: ["batchAdd", "batchRemove"])
    func results(call: String) async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let bearer = try await gateway.accessToken()
                let devices = (0..<2).map { _ in String.randomToken() }
                let living = try await gateway.register(devices[0], bearer: bearer)
                let dead = try await gateway.register(devices[1], bearer: bearer)
                apns.simulator.script(
                    token: devices[1],
                    answers: [ScriptedAnswer(status: 410, reason: "Unregistered", timestamp: 4_000_000_000_000)])
                #expect(try await gateway.sendMessage(["token": .string(dead)], bearer: bearer).status == 404)
                let stranger = "cAAAAAAAAAAAAAAAAAAAAA:APA91b" + String(repeating: "x", count: 134)
                let body: JSONValue = [
                    "to": "/topics/news",
                    "registration_tokens": .array([dead, living, "my-phone", stranger].map(JSONValue.string)),
                ]
                let answer = try await gateway.fcm(.post, "/iid/v1:\(call)", body, bearer: bearer)
                #expect(
                    answer.body == [
                        "results": [
                            ["error": "NOT_FOUND"], [:], ["error": "INVALID_ARGUMENT"], ["error": "PERMISSION_DENIED"],
                        ]
                    ])
            }
        }
    }

    @Test("A batch takes 1 to 1,000 registration tokens, in either spelling, and needs a topic")
    func limits() async throws {
        try await withGateway { gateway in
            for (name, count, status) in [
                ("registration_tokens", 1_000, 200), ("registrationTokens", 1_000, 200),
                ("registration_tokens", 1_001, 400), ("registration_tokens", 0, 400),
            ] {
                let body: JSONValue = .object(JSONObject([("to", "/topics/news"), (name, tokens(count))]))
                let answer = try await gateway.fcm(.post, "/iid/v1:batchAdd", body)
                #expect(answer.status == status)
                if status == 200 { #expect(answer.body["results"]?.array?.count == count) }
            }
            let nowhere: JSONValue = ["to": "/topics/", "registration_tokens": tokens(1)]
            #expect(try await gateway.fcm(.post, "/iid/v1:batchAdd", nowhere).status == 400)
        }
    }

    @Test("An import gives an APNs token the same registration token each time, and reports an invalid one")
    func imports() async throws {
        try await withGateway { gateway in
            let device = String.randomToken()
            for name in ["apns_tokens", "apnsTokens"] {
                let body: JSONValue = .object(
                    JSONObject([
                        ("application", "com.example.app"), ("sandbox", true), (name, [.string(device), "phone"]),
                    ]))
                let results = try await gateway.fcm(.post, "/iid/v1:batchImport", body).body["results"]
                #expect(results?[0]?["apns_token"] == .string(device) && results?[0]?["status"] == "OK")
                #expect(results?[0]?["registration_token"]?.string?.utf8.count == 163)
                #expect(results?[1] == ["apns_token": "phone", "status": "INVALID_ARGUMENT"])
            }
            let first = try await gateway.register(device)
            #expect(try await gateway.register(device) == first)
        }
    }

    @Test(
        "An import without an app, without tokens, or with more than 100 is refused",
        arguments: [(0, "app", 400), (1, "", 400), (100, "app", 200), (101, "app", 400)])
    func importLimits(count: Int, application: String, status: Int) async throws {
        try await withGateway { gateway in
            let devices = (0..<count).map { _ in JSONValue.string(.randomToken()) }
            let body: JSONValue = ["application": .string(application), "apns_tokens": .array(devices)]
            let answer = try await gateway.fcm(.post, "/iid/v1:batchImport", body)
            #expect(answer.status == status)
        }
    }

    @Test("Information on a registration has its app and platform, and its topics if details are requested")
    func info() async throws {
        try await withGateway { gateway in
            let token = try await gateway.register(.randomToken())
            let batch: JSONValue = ["to": "/topics/news", "registration_tokens": [.string(token)]]
            _ = try await gateway.fcm(.post, "/iid/v1:batchAdd", batch)
            let brief = try await gateway.fcm(.get, "/iid/info/\(token)")
            #expect(
                brief.body == [
                    "application": .string(RunningSimulator.bundleID), "authorizedEntity": "pushgate",
                    "platform": "IOS",
                ])
            let details = try await gateway.fcm(.get, "/iid/info/\(token)?details=true").body
            #expect(details["rel"]?["topics"]?.object?.members.map(\.name) == ["news"])
            #expect(details["rel"]?["topics"]?["news"]?["addDate"]?.string?.count == 10)
        }
    }

    @Test("A registration is subscribed to a topic by its path, and an invalid topic is refused")
    func relation() async throws {
        try await withGateway { gateway in
            let token = try await gateway.register(.randomToken())
            let encoded = token.replacing(":", with: "%3A")
            for path in [token, encoded] {
                let answer = try await gateway.fcm(.post, "/iid/v1/\(path)/rel/topics/news", [:])
                #expect(answer.status == 200 && answer.body == [:])
            }
            #expect(try await gateway.fcm(.post, "/iid/v1/\(token)/rel/topics/weather").status == 200)
            let details = try await gateway.fcm(.get, "/iid/info/\(token)?details=true").body
            #expect(Set(details["rel"]?["topics"]?.object?.members.map(\.name) ?? []) == ["news", "weather"])
            let topic = try await gateway.fcm(.post, "/iid/v1/\(token)/rel/topics/a%20b")
            #expect(topic.status == 400 && topic.body["error"]?["status"] == "INVALID_ARGUMENT")
        }
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let path = "/iid/v1/my-phone/rel/topics/news"
                let bearer = try await gateway.accessToken()
                #expect(try await gateway.fcm(.post, path, bearer: nil).status == 401)
                #expect(try await gateway.fcm(.post, path, bearer: bearer).status == 400)
            }
        }
    }
}
