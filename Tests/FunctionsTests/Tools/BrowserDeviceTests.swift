import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Browsers as devices of systems", .timeLimit(.minutes(10)))
struct BrowserDeviceTests {
    private static let subscription = SampleSubscription.json()

    /// Checks that a collection has the sample subscription as its only device.
    private func expectDevice(_ documents: [Document], platform: String = "web") {
        #expect(documents.map { $0["deviceToken"]?.string } == [SampleSubscription.endpoint])
        #expect(documents.map { $0["transport"]?.string } == ["webpush"])
        #expect(documents.map { $0["platform"]?.string } == [platform])
        #expect(documents.map { $0["addressAttributes"]?.map?["auth"]?.string } == [SampleSubscription.auth])
        // The app and the environment of a system's tokens have no meaning for a subscription.
        #expect(documents.map { $0["bundleId"]?.string } == ["web"])
    }

    @Test("A browser registers for runs and is notified, and its token or endpoint unregisters it")
    func runs() async throws {
        let bench = try RunsBench { $0.bundleID = "com.example.runs" }
        let text = try SampleSubscription.text()
        for path in [text, SampleSubscription.endpoint.replacing(":", with: "%3A").replacing("/", with: "%2F")] {
            let answer = try await bench.call(.post, "/api/devices", ["web_push": Self.subscription])
            #expect(answer.status == .created)
            #expect(answer.body["token"] == .string(text) && answer.body["platform"] == "web")
            expectDevice(try await bench.documents(in: "runDevices"))
            #expect(try await bench.call(.delete, "/api/devices/\(path)").status == .noContent)
            #expect(try await bench.documents(in: "runDevices").isEmpty)
        }
        _ = try await bench.call(.post, "/api/devices", ["web_push": Self.subscription, "platform": "ios"])
        expectDevice(try await bench.documents(in: "runDevices"), platform: "ios")
        try await bench.running {
            _ = try await bench.requestApproval()
            let sent = await bench.sent(1)
            #expect(sent.first?.target.address.attributes.secrets["auth"] == SampleSubscription.auth)
        }
    }

    @Test(
        "A registration of a browser for runs that cannot be taken is answered with its reason",
        arguments: [
            (["token": "t", "web_push": SampleSubscription.json()], "send either token or web_push, not both"),
            (["web_push": SampleSubscription.json(), "platform": "tv"], "invalid platform, must be 'ios' or 'web'"),
            (["token": "t", "platform": "web"], "invalid platform, must be 'ios'"),
            (["web_push": nil, "platform": "ios"], "token is required"),
            (["web_push": [:], "platform": "web"], "web_push.endpoint must be a text"),
        ] as [(JSONValue, String)])
    func refusedByRuns(body: JSONValue, message: String) async throws {
        let bench = try RunsBench()
        let answer = try await bench.call(.post, "/api/devices", body)
        #expect(answer.status == .badRequest)
        #expect(answer.body == ["error": ["code": "invalid_input", "message": .string(message)]])
        #expect(try await bench.documents(in: "runDevices").isEmpty)
    }

    @Test("A browser registers for a player's turns, and its players are found by its token and by its endpoint")
    func turns() async throws {
        let bench = try TurnsBench()
        let answer = try await bench.bench.call(.post, "/register", ["user_id": "7", "web_push": Self.subscription])
        #expect(answer == .json(.ok, ["status": "registered"]))
        expectDevice(try await bench.bench.documents(in: "turnDevices"))
        let endpoint = SampleSubscription.endpoint.replacing(":", with: "%3A").replacing("/", with: "%2F")
        for token in [try SampleSubscription.text(), endpoint] {
            #expect(try await bench.get("/users-by-token/\(token)").body["user_ids"] == ["7"])
        }
        #expect(!bench.bench.log.lines.contains { $0.contains("QGuQ") })
    }

    @Test(
        "A registration of a browser for turns that cannot be taken is answered with its reason",
        arguments: [
            (
                ["user_id": "7", "device_token": "t", "web_push": SampleSubscription.json()],
                "send either device_token or web_push, not both"
            ),
            (["web_push": SampleSubscription.json()], "user_id and device_token are required"),
            (["user_id": "7", "web_push": []], "web_push must be an object"),
        ] as [(JSONValue, String)])
    func refusedByTurns(body: JSONValue, message: String) async throws {
        let bench = try TurnsBench()
        let answer = try await bench.bench.call(.post, "/register", body)
        #expect(answer == FunctionResponse(status: .badRequest, content: .text(message + "\n")))
        #expect(try await bench.bench.documents(in: "turnDevices").isEmpty)
    }

    @Test("A browser registers for coding sessions at either path", arguments: ["push", "devices"])
    func sessions(prefix: String) async throws {
        let bench = try SessionsBench { $0.bundleID = "com.example.sessions" }
        let path = "/api/v1/\(prefix)/register"
        #expect(try await bench.call(.post, path, ["web_push": Self.subscription, "sandbox": true]) == .statusOK)
        expectDevice(try await bench.documents(in: "sessionPhones"))
        let named = try await bench.call(.post, path, ["web_push": Self.subscription, "platform": "android"])
        #expect(named == .statusOK)
        expectDevice(try await bench.documents(in: "sessionPhones"), platform: "android")
    }

    @Test(
        "A registration of a browser for coding sessions that cannot be taken is answered with its reason",
        arguments: [
            (
                ["platform": "web", "push_token": "t", "web_push": SampleSubscription.json()],
                "send either push_token or web_push, not both"
            ),
            (["platform": "web", "web_push": nil], "push_token is required"),
            (["platform": "web", "web_push": 7], "web_push must be an object"),
        ] as [(JSONValue, String)])
    func refusedBySessions(body: JSONValue, message: String) async throws {
        let bench = try SessionsBench()
        #expect(try await bench.call(.post, "/api/v1/push/register", body) == SessionsBench.badRequest(message))
        #expect(try await bench.documents(in: "sessionPhones").isEmpty)
    }

    @Test("The browser of a human tasks' device takes the place of its token, and the other way round")
    func humanTasks() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let path = "/api/devices/\(phone.id)/apns-token"
        let answer = try await bench.call(.post, path, ["web_push": Self.subscription], headers: phone.headers)
        #expect(answer == .json(.ok, ["status": "ok", "updated_at": bench.time]))
        expectDevice(try await bench.documents(in: "humanTaskTokens"))
        _ = try await bench.call(.post, path, ["token": "token-2", "web_push": nil], headers: phone.headers)
        let devices = try await bench.documents(in: "humanTaskTokens")
        #expect(devices.map { $0["deviceToken"]?.string } == ["token-2"])
        #expect(devices.allSatisfy { $0["addressAttributes"] == nil && $0["platform"]?.string == "ios" })
    }

    @Test("A browser of human tasks that cannot be taken is an issue at the path of its part")
    func refusedByHumanTasks() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone(token: nil)
        func issue(_ body: JSONValue) async throws -> JSONValue? {
            let answer = try await bench.call(
                .post, "/api/devices/\(phone.id)/apns-token", body, headers: phone.headers)
            #expect(answer.status == .badRequest && answer.body["error"] == "Invalid request body")
            return answer.body["issues"]?[0]
        }
        #expect(
            try await issue(["web_push": SampleSubscription.json(auth: "AAAA")])
                == [
                    "path": ["web_push", "keys", "auth"], "message": "must be 16 bytes in base64url, and has 3",
                ])
        #expect(try await issue(["web_push": "x"]) == ["path": ["web_push"], "message": "must be an object"])
        #expect(
            try await issue(["web_push": Self.subscription, "token": "t"])
                == ["path": ["web_push"], "message": "send either token or web_push, not both"])
        #expect(try await bench.documents(in: "humanTaskTokens").isEmpty)
    }

    @Test("A token that is the damaged text of a subscription is refused by each system with the reason")
    func damagedTexts() async throws {
        let text = String(try SampleSubscription.text().dropLast())
        let words = "begins with webpush: and is no subscription: keys.auth must be 16 bytes in base64url"
        let token = JSONValue.string(text)
        let runs = try RunsBench()
        let run = try await runs.call(.post, "/api/devices", ["token": token, "platform": "ios"])
        #expect(run.status == .badRequest && run.body["error"]?["message"] == .string("token \(words)"))
        #expect(try await runs.documents(in: "runDevices").isEmpty)
        let turns = try TurnsBench()
        let turn = try await turns.bench.call(.post, "/register", ["user_id": "7", "device_token": token])
        #expect(turn == FunctionResponse(status: .badRequest, content: .text("device_token \(words)\n")))
        #expect(try await turns.bench.documents(in: "turnDevices").isEmpty)
        let sessions = try SessionsBench()
        let session = try await sessions.call(
            .post, "/api/v1/push/register", ["platform": "ios", "push_token": token])
        #expect(session == SessionsBench.badRequest("push_token \(words)"))
        #expect(try await sessions.documents(in: "sessionPhones").isEmpty)
    }

    @Test("A token of human tasks that begins like the text of a subscription is an issue of its field")
    func damagedTextOfHumanTasks() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone(token: nil)
        let answer = try await bench.call(
            .post, "/api/devices/\(phone.id)/apns-token", ["token": "webpush:a"], headers: phone.headers)
        #expect(answer.status == .badRequest && answer.body["issues"]?[0]?["path"] == ["token"])
        #expect(answer.body["issues"]?[0]?["message"]?.string?.contains("must have three parts") == true)
        #expect(try await bench.documents(in: "humanTaskTokens").isEmpty)
    }

    @Test("Without Web Push each system refuses a browser with the setting that the operator sets")
    func switchedOff() async throws {
        let forms = TokenForms(otherwise: .fcm, recognized: { _ in nil })
        let text = "web_push cannot be taken by this gateway: no push service of this gateway has subscriptions"
        let runs = try await RunsBench(forms: forms).call(.post, "/api/devices", ["web_push": Self.subscription])
        #expect(runs.status == .badRequest && runs.body["error"]?["message"] == .string(text))
        let sessions = try await SessionsBench(forms: forms)
            .call(.post, "/api/v1/push/register", ["web_push": Self.subscription])
        #expect(sessions == SessionsBench.badRequest(text))
    }
}
