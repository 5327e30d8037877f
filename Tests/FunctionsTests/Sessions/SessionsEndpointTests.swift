import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Sessions: requests", .timeLimit(.minutes(10)))
struct SessionsEndpointTests {
    private static let device = #""device":{"device_id":"d"}"#
    private static let long = String(repeating: "i", count: 257)

    @Test(
        "An invalid event of a session is answered with its reason and stores nothing",
        arguments: [
            ("", "the body must be a JSON object"), ("[]", "the body must be a JSON object"),
            ("{", "the body must be a JSON object"), ("null", "the body must be a JSON object"),
            (String(repeating: "[", count: 5_000), "the body must be a JSON object"),
            ("{}", "device_id is required"), (#"{"device":7}"#, "device_id is required"),
            (#"{"device":{"device_id":7}}"#, "device_id is required"),
            (#"{"device":{"device_id":" \t"}}"#, "device_id is required"),
            (#"{"device":{"device_id":null}}"#, "device_id is required"),
            (#"{"device":{"device_id":"\#(long)"}}"#, "device_id must be at most 256 bytes long"),
            (#"{"device":{"device_id":"a\u0000b"}}"#, "device_id must not contain control characters"),
            ("{\(device)}", "session_id is required"), (#"{\#(device),"event":[]}"#, "session_id is required"),
            (#"{\#(device),"event":{"session_id":true}}"#, "session_id is required"),
            (#"{\#(device),"event":{"session_id":"\#(long)"}}"#, "session_id must be at most 256 bytes long"),
            (#"{\#(device),"event":{"session_id":"a\nb"}}"#, "session_id must not contain control characters"),
            (#"{\#(device),"event":{"session_id":"s"}}"#, "hook_event_name is required"),
            (#"{\#(device),"event":{"session_id":"s","hook_event_name":""}}"#, "hook_event_name is required"),
            (#"{\#(device),"event":{"session_id":"s","hook_event_name":"Stop"}}"#, "timestamp must be valid RFC 3339"),
            (
                #"{\#(device),"event":{"session_id":"s","hook_event_name":"Stop"},"timestamp":1767225600}"#,
                "timestamp must be valid RFC 3339"
            ),
            (
                #"{\#(device),"event":{"session_id":"s","hook_event_name":"Stop"},"timestamp":"2026-01-01 00:00"}"#,
                "timestamp must be valid RFC 3339"
            ),
        ])
    func badEvents(body: String, message: String) async throws {
        let bench = try SessionsBench()
        let answer = try await bench.call(.post, "/api/v1/events", text: body)
        #expect(answer == SessionsBench.badRequest(message))
        let left = try await bench.disk.documents.collectionIDs(below: nil)
        #expect(left.isEmpty)
    }

    @Test(
        "A valid event of a session is answered with 200, whatever other fields it has",
        arguments: ["2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.123456789Z"])
    func event(timestamp: String) async throws {
        let bench = try SessionsBench()
        let answer = try await bench.call(
            .post, "/api/v1/events",
            [
                "device": ["device_id": " d ", "more": [1, 2]],
                "event": [
                    "session_id": "s", "hook_event_name": "PostToolUse", "tool_name": 7, "cwd": nil,
                    "tool_input": ["deep": [["x"]]],
                ], "timestamp": .string(timestamp), "extra": nil,
            ])
        #expect(answer == .statusOK)
        let events = try await bench.list("sessions/s/events")
        #expect(events.count == 1)
        #expect(events.first?["device_id"] == "d" && events.first?["tool_name"] == .null)
        #expect(events.first?["timestamp"]?.string?.hasPrefix("2026-01-01T00:00:00.") == true)
    }

    private static let hookHeaders = HTTPFields(named: [
        "X-Claudiator-Device-Id": "device-1", "X-Claudiator-Device-Name": "shahads-macbook",
        "X-Claudiator-Platform": "darwin",
    ])
    private static let otherHookHeaders = HTTPFields(named: [
        "X-Device-Id": "device-1", "X-Device-Name": "shahads-macbook", "X-Device-Platform": "darwin",
    ])

    @Test(
        "A raw event is accepted with its device in header fields of either spelling",
        arguments: [hookHeaders, otherHookHeaders])
    func hook(headers: HTTPFields) async throws {
        let bench = try SessionsBench()
        let answer = try await bench.call(
            .post, "/api/v1/hooks/http",
            [
                "session_id": "session-1", "hook_event_name": "UserPromptSubmit", "prompt": "Fix it",
                "transcript_path": "/t",
            ],
            headers: headers)
        #expect(answer == .statusOK)
        let event = try #require(try await bench.list("sessions/session-1/events").first)
        #expect(event["prompt"] == "Fix it" && event["timestamp"] == .string(bench.clock.timestamp.description))
        let device = try #require(try await bench.list("devices").first)
        #expect(device["device_name"] == "shahads-macbook" && device["platform"] == "darwin")
    }

    @Test("A raw event without a device's header field or without a body is refused")
    func badHooks() async throws {
        let bench = try SessionsBench()
        let event: JSONValue = ["session_id": "s", "hook_event_name": "Stop"]
        for field in Self.hookHeaders {
            for value in ["", "  "] {
                var headers = Self.hookHeaders
                headers[field.name] = value
                let answer = try await bench.call(.post, "/api/v1/hooks/http", event, headers: headers)
                #expect(answer == SessionsBench.badRequest("\(field.name.rawName) is required"))
            }
        }
        var headers = Self.hookHeaders
        headers[try #require(HTTPField.Name("X-Claudiator-Device-Id"))] = Self.long
        for (body, headers, message) in [
            (event, headers, "X-Claudiator-Device-Id must be at most 256 bytes long"),
            ([:], Self.hookHeaders, "session_id is required"),
            (["session_id": "s"], Self.hookHeaders, "hook_event_name is required"),
            ([], Self.hookHeaders, "the body must be a JSON object"),
        ] as [(JSONValue, HTTPFields, String)] {
            let answer = try await bench.call(.post, "/api/v1/hooks/http", body, headers: headers)
            #expect(answer == SessionsBench.badRequest(message))
        }
        #expect(try await bench.list("sessions").isEmpty)
    }

    @Test("A body over 2 MiB is refused by sessions")
    func tooLarge() async throws {
        let bench = try SessionsBench()
        let answer = try await bench.call(.post, "/api/v1/events", text: String(repeating: " ", count: 2 << 20 + 1))
        #expect(answer == SessionsBench.error(.contentTooLarge, "bad_request", "the body is larger than 2097152 bytes"))
    }

    @Test("Very long texts of an event are cut")
    func longTexts() async throws {
        let bench = try SessionsBench()
        try await bench.running {
            _ = try await bench.register()
            let text = JSONValue.string(String(repeating: "é", count: 150_000))
            let answer = try await bench.report(
                "Stop",
                ["prompt": text, "cwd": text, "message": text, "tool_name": text, "notification_type": text])
            #expect(answer == .statusOK)
            let event = try #require(try await bench.list("sessions/session-1/events").first)
            #expect(event["prompt"]?.string?.utf8.count == 16_384 && event["message"]?.string?.utf8.count == 4_096)
            #expect(event["cwd"]?.string?.utf8.count == 4_096 && event["tool_name"]?.string?.utf8.count == 200)
            #expect(await bench.sent(1).count == 1)
        }
    }

    @Test("Other methods and paths are not found, in the form of sessions")
    func elsewhere() async throws {
        let bench = try SessionsBench()
        for (method, path) in [
            (HTTPRequest.Method.get, "events"), (.put, "events"), (.get, "events/1"), (.post, "ping"), (.get, "hooks"),
            (.post, "hooks/tcp"), (.get, "push/register"), (.post, "push"), (.delete, "devices"),
            (.post, "devices/1/sessions"), (.get, "sessions/1"), (.post, "notifications"), (.get, "notifications/ack"),
            (.get, "hits"),
        ] {
            for key in [SessionsBench.masterKey, SessionsBench.readKey, SessionsBench.writeKey] {
                let answer = try await bench.call(
                    method, "/api/v1/\(path)", headers: SessionsBench.authorization(key))
                #expect(answer == SessionsBench.error(.notFound, "not_found", "there is nothing here"), "\(path)")
            }
        }
        #expect(ModuleRouter([bench.system]).match(.get, RequestPath("/api/hits")) == nil)
        #expect(ModuleRouter([bench.system]).match(.get, RequestPath("/v1/projects")) == nil)
    }

    @Test("A full store makes sessions answer 503 and accepts nothing")
    func unavailable() async throws {
        let bench = try SessionsBench()
        _ = try await bench.register()
        bench.store.set { $0.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        let expected = FunctionResponse(
            status: .serviceUnavailable, headerFields: [.retryAfter: "5"],
            body: ["error": "unavailable", "message": .string(.noRoom)])
        try await bench.running {
            let stopped = try await bench.report("Stop")
            let registered = try await bench.register("token-2")
            #expect(stopped == expected && registered == expected)
            #expect(try await bench.disk.documents.collectionIDs(below: nil) == ["sessionPhones"])
            bench.store.set { $0.beforeCommit = { _ in } }
            let again = try await bench.report("Stop")
            #expect(again == .statusOK)
            #expect(await bench.sent(1).count == 1)
            #expect(try await bench.notifications().count == 1)
        }
    }

    @Test("An unexpected error is answered with 500 by sessions and logged once with its cause")
    func internalError() async throws {
        let bench = try SessionsBench()
        bench.store.set { $0.beforeCommit = { _ throws(StoreError) in throw StoreError(.dataLoss, "cause-of-it") } }
        let answer = try await bench.report("Stop")
        #expect(
            answer == SessionsBench.error(.internalServerError, "internal_error", "Internal server error"))
        #expect(bench.log.lines.count { $0.contains("cause-of-it") } == 1)
    }
}
