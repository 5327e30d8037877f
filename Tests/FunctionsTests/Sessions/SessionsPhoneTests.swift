import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Sessions: devices", .timeLimit(.minutes(10)))
struct SessionsPhoneTests {
    @Test("A device registers for sessions at either path and stays one device", arguments: ["push", "devices"])
    func registration(prefix: String) async throws {
        let bench = try SessionsBench()
        for sandbox in [JSONValue.bool(true), .bool(true), .bool(false), .null] {
            let answer = try await bench.call(
                .post, "/api/v1/\(prefix)/register",
                ["platform": "ios", "push_token": " token-1 ", "sandbox": sandbox])
            #expect(answer == .statusOK)
            let phones = try await bench.documents(in: "sessionPhones")
            #expect(phones.map { $0["deviceToken"]?.string } == ["token-1"])
            #expect(phones.first?["apnsEnvironment"]?.string == (sandbox == true ? "sandbox" : "production"))
            #expect(phones.allSatisfy { !$0.path.description.contains("token-1") })
        }
    }

    @Test(
        "An invalid registration for sessions is answered with its reason",
        arguments: [
            ("[]", "the body must be a JSON object"), ("{}", "platform is required"),
            (#"{"push_token":"t"}"#, "platform is required"), (#"{"platform":" "}"#, "platform is required"),
            (#"{"platform":"ios"}"#, "push_token is required"),
            (#"{"platform":"ios","push_token":7}"#, "push_token is required"),
            (#"{"platform":"ios","push_token":""}"#, "push_token is required"),
            (
                #"{"platform":"ios","push_token":"\#(String(repeating: "a", count: 4_097))"}"#,
                "push_token must be at most 4096 bytes long"
            ),
        ])
    func refused(body: String, message: String) async throws {
        let bench = try SessionsBench()
        for path in ["/api/v1/push/register", "/api/v1/devices/register"] {
            let answer = try await bench.call(.post, path, text: body)
            #expect(answer == SessionsBench.badRequest(message))
        }
        #expect(try await bench.documents(in: "sessionPhones").isEmpty)
    }

    @Test("Every registered device is notified in its own environment")
    func environments() async throws {
        let bench = try SessionsBench { $0.bundleID = "com.example.sessions" }
        let tokens = (0..<3).map { String(repeating: "\($0)", count: 64) }
        try await bench.running {
            _ = try await bench.register(tokens[0])
            _ = try await bench.register(tokens[1], ["sandbox": true])
            _ = try await bench.register(tokens[2], ["sandbox": false])
            _ = try await bench.report("Stop")
            let lanes = await bench.sent(3).map { ($0.token, $0.target.address.lane) }
            let environments = Dictionary(uniqueKeysWithValues: lanes.map { ($0, $1.app.environment) })
            #expect(environments == [tokens[0]: "production", tokens[1]: "sandbox", tokens[2]: "production"])
            #expect(lanes.allSatisfy { $0.1.app.bundleID == "com.example.sessions" })
        }
    }

    @Test("A device whose token is unregistered gets no more session notifications")
    func deadToken() async throws {
        let bench = try SessionsBench(ScriptedTransport { $0.token == "dead" ? .dead : .accepted })
        try await bench.running {
            _ = try await bench.register("dead")
            _ = try await bench.register("alive")
            _ = try await bench.report("Stop")
            try await eventually("the device is gone") { try await bench.documents(in: "sessionPhones").count == 1 }
            _ = try await bench.report("PermissionRequest")
            try await eventually("the other device is notified") { bench.transport.sent.count >= 3 }
            #expect(bench.transport.tokens.count { $0 == "dead" } == 1)
        }
    }

    @Test("Without devices a session notification is kept and no message is created")
    func nobody() async throws {
        let bench = try SessionsBench()
        try await bench.running {
            let answer = try await bench.report("Stop")
            #expect(answer == .statusOK)
            let (kept, messages) = (try await bench.notifications(), try await bench.documents(in: "messages"))
            #expect(kept.count == 1 && messages.isEmpty)
        }
    }
}
