import DocumentStore
import Functions
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("The notification of a finished reply")
struct ReplyNotificationTests {
    /// Returns the message to the first device and the answer, for a trigger with the fields.
    private func message(
        cwd: String = "/srv/app", name: String? = nil, _ fields: JSONObject = [:]
    ) async throws -> (message: JSONValue, answer: JSONValue) {
        let bench = try Bench()
        _ = try await bench.register(.register(cwd: cwd, name: name))
        var answer: JSONValue = nil
        try await bench.running { answer = try await bench.trigger(.trigger(cwd: cwd, fields)).body }
        return (try #require(bench.transport.sent.first).message.message.json, answer)
    }

    @Test("A trigger with all fields gives exactly the expected message")
    func everything() async throws {
        let (message, answer) = try await message(
            name: "My agent",
            [
                "conversation_id": "c-1", "completion_id": "k-1", "message_preview": " All  done. ",
                "finished_at": "2026-01-01T00:00:00Z", "renderable_assistant_count": 3, "assistant_message_cursor": 7,
                "cursor_version": "2", "include_preview": true,
            ])
        #expect(
            message == [
                "notification": ["title": "My agent", "body": "All done."],
                "data": [
                    "type": "reply_finished", "server_key": .string(Call.serverKey),
                    "agent_key": .string(Bench.agentKey), "cwd": "/srv/app", "conversation_id": "c-1",
                    "completion_id": "k-1", "renderable_assistant_count": "3", "assistant_message_cursor": "7",
                    "cursor_version": "2",
                ],
                "apns": [
                    "headers": [
                        "apns-collapse-id": .string(Bench.agentKey), "apns-push-type": "alert", "apns-priority": "10",
                    ],
                    "payload": [
                        "aps": ["sound": "default", "thread-id": .string(Bench.agentKey), "content-available": 1]
                    ],
                ],
            ])
        #expect(answer["preview_included"] == true)
    }

    @Test("A trigger with only a directory gives the smallest message")
    func minimum() async throws {
        let (message, answer) = try await message()
        #expect(message["notification"] == ["title": "app", "body": "Reply ready"])
        #expect(
            message["data"] == [
                "type": "reply_finished", "server_key": .string(Call.serverKey), "agent_key": .string(Bench.agentKey),
                "cwd": "/srv/app",
            ])
        #expect(answer["preview_included"] == false)
    }

    @Test("The cursor's version is sent only together with the cursor")
    func cursorVersion() async throws {
        for fields in [["cursor_version": 2], ["cursor_version": 2, "assistant_message_cursor": "x"]] as [JSONObject] {
            let data = try await message(fields).message["data"]
            #expect(data?["cursor_version"] == nil)
            #expect(data?["assistant_message_cursor"] == nil)
        }
        let data = try await message(["assistant_message_cursor": 0]).message["data"]
        #expect(data?["assistant_message_cursor"] == "0")
        #expect(data?["cursor_version"] == nil)
    }

    @Test("Numbers in a trigger become truncated strings, and values that are not numbers are left out")
    func numbers() async throws {
        let data = try await message([
            "renderable_assistant_count": "12abc", "assistant_message_cursor": -3.9, "cursor_version": true,
            "conversation_id": 5, "completion_id": "  ",
        ]).message["data"]
        #expect(
            data?.object?.members.map(\.name).sorted() == [
                "agent_key", "assistant_message_cursor", "cwd", "renderable_assistant_count", "server_key", "type",
            ])
        #expect(data?["renderable_assistant_count"] == "12")
        #expect(data?["assistant_message_cursor"] == "-3")
    }

    @Test("Large numbers in a trigger are printed as JavaScript prints them")
    func largeNumbers() async throws {
        let data = try await message([
            "renderable_assistant_count": 1e20, "assistant_message_cursor": 9_007_199_254_740_993,
            "cursor_version": "1152921504606846976",
        ]).message["data"]
        #expect(data?["renderable_assistant_count"] == "100000000000000000000")
        #expect(data?["assistant_message_cursor"] == "9007199254740992")
        #expect(data?["cursor_version"] == "1152921504606847000")
    }

    @Test(
        "The title is the agent's name, else the directory's name, else a fixed text",
        arguments: [
            ("/srv/app", "Agent", "Agent"), ("/srv/app", nil, "app"), ("/srv/app/", nil, "app"),
            ("/srv//app//", nil, "app"), ("app", nil, "app"), ("~", nil, "~"), ("/", nil, "Reply ready"),
            ("///", nil, "Reply ready"), ("/srv/ключ 😀", nil, "ключ 😀"), ("C:\\code", nil, "C:\\code"),
            ("/srv/\u{301}x", nil, "\u{301}x"),
        ] as [(String, String?, String)])
    func title(cwd: String, name: String?, expected: String) async throws {
        #expect(try await message(cwd: cwd, name: name).message["notification"]?["title"] == .string(expected))
    }

    @Test(
        "A preview is shown if include_preview is absent or means yes",
        arguments: [
            (nil, "Done", true), (true, "Done", true), (1, "Done", true), ("yes", "Done", true), ("TRUE", "Done", true),
            (false, "Reply ready", false), (0, "Reply ready", false), ("no", "Reply ready", false),
            ("", "Reply ready", false), (.null, "Reply ready", false), (2, "Reply ready", false),
        ] as [(JSONValue?, String, Bool)])
    func includePreview(flag: JSONValue?, body: String, isIncluded: Bool) async throws {
        var fields: JSONObject = ["message_preview": "Done"]
        fields["include_preview"] = flag
        let (message, answer) = try await message(fields)
        #expect(message["notification"]?["body"] == .string(body))
        #expect(answer["preview_included"] == .bool(isIncluded))
    }

    @Test(
        "An empty preview is left out even if it was requested",
        arguments: ["", "  \n ", "```codeagents-ui\nx\n```", "```codeagents_ui", 5, nil, ["x"]] as [JSONValue])
    func emptyPreview(preview: JSONValue) async throws {
        let (message, answer) = try await message(["message_preview": preview, "include_preview": true])
        #expect(message["notification"]?["body"] == "Reply ready")
        #expect(answer["preview_included"] == false)
    }

    @Test("The notification of a finished reply lives for a day")
    func lifetime() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        try await bench.running { _ = try await bench.trigger() }
        #expect(bench.transport.sent.first?.message.expiration == ManualClock.start.seconds + 86_400)
    }

    @Test("The notification goes to the registered token, bundle id and environment")
    func address() async throws {
        let bench = try Bench()
        let token = String(repeating: "0f", count: 32)
        _ = try await bench.register(
            Call([
                "cwd": "/srv/app", "installation_id": "phone", "fcm_token": .string(token), "bundle_id": "com.example",
                "apns_environment": "production",
            ]))
        try await bench.running { _ = try await bench.trigger() }
        let target = try #require(bench.transport.sent.first?.target)
        #expect(
            target.address
                == PushAddress(token: token, app: AppIdentity(bundleID: "com.example", environment: "production")))
        #expect(target.registration?.description == Bench.device("phone"))
    }
}
