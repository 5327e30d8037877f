import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Sessions: cards", .timeLimit(.minutes(10)))
struct SessionCardTests {
    private static let start = String(repeating: "ab", count: 80)

    private func register(_ bench: SessionsBench) async throws {
        let part: JSONValue = ["push_to_start_token": .string(Self.start)]
        #expect(try await bench.register("token-1", ["live_activity": part]) == .statusOK)
    }

    /// Returns the pushes to cards in order, once there are some.
    private func pushed(_ count: Int, _ bench: SessionsBench) async throws -> [JSONValue] {
        func pushes() -> [JSONValue] {
            bench.transport.sent.filter { $0.message.lane.transport == .liveActivity }
                .compactMap { $0.message.message.apns?.payload["aps"] }
        }
        try await eventually("\(count) pushes are sent") { pushes().count >= count }
        return pushes()
    }

    @Test("A session is a card from its start to its stop, and calls for a permission")
    func life() async throws {
        let bench = try SessionsBench()
        try await bench.running {
            try await register(bench)
            #expect(try await bench.report("UserPromptSubmit", ["prompt": "Fix the login bug"]) == .statusOK)
            let start = try await pushed(1, bench)[0]
            #expect(start["event"] == "start" && start["alert"]?["title"] == "Fix the login bug")
            #expect(start["attributes"]?["session_id"] == "session-1")
            let steps: [(String, JSONObject, JSONObject)] = [
                ("PreToolUse", ["tool_name": "Bash"], ["state": "running", "step": "Bash"]),
                (
                    "PermissionRequest", ["tool_name": "Bash", "message": "rm -r build"],
                    ["state": "waiting", "text": "Permission required: Bash — rm -r build"]
                ),
                ("PostToolUse", ["tool_name": "Edit"], ["state": "running", "step": "Edit"]),
                ("Stop", ["message": "All done"], ["state": "finished", "text": "All done"]),
            ]
            for (index, (name, more, expected)) in steps.enumerated() {
                bench.clock.advance(by: .seconds(1))
                #expect(try await bench.report(name, more) == .statusOK)
                let content = try await pushed(index + 2, bench)[index + 1]["content-state"]
                for (member, value) in expected.members { #expect(content?[member] == value, "\(name) \(member)") }
            }
            #expect(try await bench.documents(in: "codingSessions").first?["showsCard"] == nil)
        }
    }

    @Test("After a stop idleness starts no card, and the next prompt does")
    func nextPrompt() async throws {
        let bench = try SessionsBench()
        try await bench.running {
            try await register(bench)
            _ = try await bench.report("SessionStart")
            _ = try await pushed(1, bench)
            _ = try await bench.report("Stop")
            _ = try await pushed(2, bench)
            bench.clock.advance(by: .seconds(60))
            for name in ["Notification", "PreToolUse", "SessionEnd"] {
                _ = try await bench.report(name, ["notification_type": "idle_prompt"])
            }
            _ = try await bench.report("UserPromptSubmit", ["prompt": "And now the tests"])
            let pushes = try await pushed(3, bench)
            #expect(pushes.map { $0["event"] } == ["start", "end", "start"])
            #expect(pushes[0]["attributes"]?["card"] != pushes[2]["attributes"]?["card"])
            #expect(pushes[2]["content-state"]?["text"] == "And now the tests")
        }
    }

    @Test("Sessions of phones without Live Activities are stored and notified as before")
    func oldClient() async throws {
        let bench = try SessionsBench()
        try await bench.running {
            _ = try await bench.register()
            for name in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest"] {
                #expect(try await bench.report(name) == .statusOK)
            }
            _ = await bench.sent(1)
            #expect(try await bench.report("Stop") == .statusOK)
            let sent = await bench.sent(2)
            #expect(sent.map { $0.message.message.notification?.title } == ["Permission Required", "Session Stopped"])
            #expect(try await bench.documents(in: "liveActivityCards").isEmpty)
            #expect(try await bench.documents(in: "codingSessions").first?["showsCard"] == nil)
        }
    }
}
