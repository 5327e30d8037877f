import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Sessions: notifications", .timeLimit(.minutes(10)))
struct SessionsNotificationTests {
    private static let noTool = "A session needs permission to continue"

    /// An event and its notification; `nil` if it causes none.
    struct Row: Sendable, CustomStringConvertible {
        let event: String
        let fields: JSONObject
        let kind: String?
        let title: String?
        let body: String?

        init(
            _ event: String, _ fields: JSONObject, _ kind: String? = nil, _ title: String? = nil, _ body: String? = nil
        ) {
            self.event = event
            self.fields = fields
            self.kind = kind
            self.title = title
            self.body = body
        }

        var description: String { "\(event) \(fields.members)" }
    }

    private static let permission: JSONObject = ["notification_type": "permission_prompt"]
    private static let idle: JSONObject = ["notification_type": "idle_prompt"]

    static let rows = [
        Row("Stop", [:], "stop", "Session Stopped", "Session stopped: No reason given"),
        Row("Stop", ["message": "done"], "stop", "Session Stopped", "Session stopped: done"),
        Row("Stop", ["message": "  "], "stop", "Session Stopped", "Session stopped: No reason given"),
        Row("Stop", ["message": 7], "stop", "Session Stopped", "Session stopped: No reason given"),
        Row("Stop", ["message": "\u{0}a\u{7}\nb\u{1B}"], "stop", "Session Stopped", "Session stopped: a\nb"),
        Row("Stop", idle, "stop", "Session Stopped", "Session stopped: No reason given"),
        Row("Notification", permission, "permission_prompt", "Permission Required", noTool),
        Row(
            "Notification", ["notification_type": "permission_prompt", "tool_name": "Bash"], "permission_prompt",
            "Permission Required", "Permission required: Bash"),
        Row(
            "Notification", ["notification_type": "permission_prompt", "message": "rm -r"], "permission_prompt",
            "Permission Required", "Permission required: rm -r"),
        Row(
            "Notification", ["notification_type": "permission_prompt", "tool_name": "Bash", "message": "rm -r"],
            "permission_prompt", "Permission Required", "Permission required: Bash — rm -r"),
        Row("PermissionRequest", [:], "permission_prompt", "Permission Required", noTool),
        Row(
            "PermissionRequest", ["tool_name": "Edit", "message": "a.swift"], "permission_prompt",
            "Permission Required", "Permission required: Edit — a.swift"),
        Row("Notification", idle, "idle_prompt", "Session Idle", "Session idle: Waiting for input"),
        Row(
            "Notification", ["notification_type": "idle_prompt", "message": "your turn"], "idle_prompt", "Session Idle",
            "Session idle: your turn"),
        Row("Notification", [:]), Row("Notification", ["notification_type": "auth_success"]),
        Row("Notification", ["notification_type": "PERMISSION_PROMPT"]), Row("stop", [:]),
        Row("SubagentStop", ["message": "done"]), Row("SessionStart", [:]), Row("SessionEnd", permission),
        Row("UserPromptSubmit", idle), Row("SomethingNew", ["message": "done"]),
    ]

    @Test("Each event causes exactly the notification in the table, or none", arguments: rows)
    func table(row: Row) async throws {
        let bench = try SessionsBench()
        try await bench.running {
            _ = try await bench.register()
            let answer = try await bench.report(row.event, row.fields)
            #expect(answer == .statusOK)
            let stored = try await bench.list("sessions/session-1/events")
            #expect(stored.map { $0["hook_event_name"] } == [.string(row.event)])
            let kept = try await bench.notifications()
            #expect(kept.count == (row.kind == nil ? 0 : 1))
            guard let kind = row.kind, let title = row.title, let body = row.body, let kept = kept.first else {
                #expect(try await bench.documents(in: "messages").isEmpty)
                return
            }
            #expect(kept["notification_type"] == .string(kind) && kept["acknowledged"] == false)
            #expect(kept["title"] == .string(title) && kept["body"] == .string(body))
            #expect(kept["session_id"] == "session-1" && kept["device_id"] == "device-1")
            #expect(kept["event_id"] == stored.first?["id"])
            let message = await bench.sent(1).map(\.message.message)
            #expect(
                message == [
                    Message(
                        notification: .init(title: title, body: body),
                        data: [
                            "notification_id": kept["id"]?.string ?? "", "session_id": "session-1",
                            "device_id": "device-1", "event_type": row.event, "device_name": "shahads-macbook",
                        ],
                        apns: Message.APNsConfiguration(
                            headers: [
                                "apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": "session-1",
                            ], payload: ["aps": ["sound": "default", "content-available": 1]]))
                ])
        }
    }

    @Test(
        "The title of a session is its first prompt, cut to 200 bytes between characters",
        arguments: [
            ("Fix the login bug", "Fix the login bug"), (" \n two\nlines ", "two\nlines"), ("a\u{0}b", "ab"),
            (String(repeating: "a", count: 200), String(repeating: "a", count: 200)),
            (String(repeating: "a", count: 201), String(repeating: "a", count: 200) + "…"),
            ("a" + String(repeating: "é", count: 100), "a" + String(repeating: "é", count: 99) + "…"),
            (String(repeating: "😀", count: 51), String(repeating: "😀", count: 50) + "…"),
        ])
    func title(prompt: String, title: String) async throws {
        let bench = try SessionsBench()
        _ = try await bench.report("UserPromptSubmit", ["prompt": "   "])
        _ = try await bench.report("UserPromptSubmit", ["prompt": .string(prompt)])
        _ = try await bench.report("UserPromptSubmit", ["prompt": "another"])
        _ = try await bench.report("Stop")
        _ = try await bench.report("Stop", session: "session-2")
        let titles = try await bench.notifications().map { $0["title"]?.string }
        #expect(titles == [title, "Session Stopped"])
    }

    @Test(
        "Notifications of one session share a collapse id of at most 64 bytes",
        arguments: [
            ("s", "s"), (String(repeating: "s", count: 64), String(repeating: "s", count: 64)),
            (String(repeating: "s", count: 65), String(repeating: "s", count: 64)),
            ("s" + String(repeating: "é", count: 40), "s" + String(repeating: "é", count: 31)),
        ])
    func collapsing(session: String, collapseID: String) async throws {
        let bench = try SessionsBench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.report("Stop", session: session)
            let message = await bench.sent(1).first?.message.message
            #expect(message?.apns?.header("apns-collapse-id") == collapseID)
            #expect(message?.data["session_id"] == session)
        }
    }

    @Test("A notification names its machine by the last known name, or by its id")
    func deviceName() async throws {
        let bench = try SessionsBench()
        func report(_ device: JSONValue) async throws -> FunctionResponse {
            try await bench.call(
                .post, "/api/v1/events",
                [
                    "device": device, "event": ["session_id": "s", "hook_event_name": "PermissionRequest"],
                    "timestamp": "2026-01-01T00:00:00Z",
                ])
        }
        try await bench.running {
            _ = try await bench.register()
            let devices: [JSONValue] = [
                ["device_id": "d"], ["device_id": "d", "device_name": "one"], ["device_id": "d"],
                ["device_id": "d", "device_name": "two"],
            ]
            for (number, device) in devices.enumerated() {
                let answer = try await report(device)
                #expect(answer == .statusOK)
                // A notification that still waits would be replaced by the next one of the session.
                #expect(await bench.sent(number + 1).count == number + 1)
            }
            #expect(await bench.sent(4).map { $0.message.message.data["device_name"] } == ["d", "one", "one", "two"])
        }
    }

    @Test("A session notification is tried for a day")
    func lifetime() async throws {
        let bench = try SessionsBench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.report("Stop")
            let expiration = await bench.sent(1).first?.message.expiration
            #expect(expiration == bench.clock.timestamp.seconds + 24 * 60 * 60)
        }
    }
}
