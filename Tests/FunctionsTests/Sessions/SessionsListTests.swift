import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Sessions: lists", .timeLimit(.minutes(10)))
struct SessionsListTests {
    // MARK: Notifications

    @Test("Paging with after returns every notification once, even if many came at the same moment")
    func paging() async throws {
        let bench = try SessionsBench()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask { _ = try await bench.report("Stop", session: "session-\(number)") }
            }
            try await group.waitForAll()
        }
        var seen: [String] = []
        var times: [String] = []
        while true {
            var query = ["limit": "7"]
            query["after"] = times.last
            let page = try await bench.notifications(query)
            seen += page.compactMap { $0["session_id"]?.string }
            times += page.compactMap { $0["created_at"]?.string }
            if page.isEmpty { break }
        }
        #expect(seen.count == 60 && Set(seen).count == 60)
        #expect(times == times.sorted() && Set(times).count == 60)
    }

    @Test(
        "A page of notifications has 50 by default and at most 200",
        arguments: [("", 50), ("1", 1), ("00200", 200), ("201", 200), ("99999999999999999999", 200)])
    func limits(limit: String, count: Int) async throws {
        let bench = try SessionsBench()
        for _ in 0..<201 { _ = try await bench.report("PermissionRequest") }
        #expect(try await bench.notifications(["limit": limit, "after": ""]).count == count)
    }

    @Test(
        "An invalid query parameter of a list is answered with its reason",
        arguments: [
            ("limit", "x", "limit must be a whole number, 1 or more"),
            ("limit", "0", "limit must be a whole number, 1 or more"),
            ("limit", "-1", "limit must be a whole number, 1 or more"),
            ("limit", "1.5", "limit must be a whole number, 1 or more"),
            ("limit", "١", "limit must be a whole number, 1 or more"),
            ("after", "yesterday", "after must be valid RFC 3339"),
            ("after", "1767225600", "after must be valid RFC 3339"),
        ])
    func badQueries(name: String, value: String, message: String) async throws {
        let bench = try SessionsBench()
        let answer = try await bench.call(.get, "/api/v1/notifications", query: [name: value])
        #expect(answer == SessionsBench.badRequest(message))
        guard name == "limit" else { return }
        _ = try await bench.report("Stop")
        for path in ["devices", "sessions", "devices/device-1/sessions", "sessions/session-1/events"] {
            let answer = try await bench.call(.get, "/api/v1/\(path)", query: [name: value])
            #expect(answer == SessionsBench.badRequest(message))
        }
    }

    @Test("The parameter after accepts any time with any offset")
    func after() async throws {
        let bench = try SessionsBench()
        _ = try await bench.report("PermissionRequest")
        bench.clock.advance(by: .seconds(60))
        _ = try await bench.report("PermissionRequest")
        #expect(try await bench.notifications(["after": "2026-01-01T00:00:30Z"]).count == 1)
        #expect(try await bench.notifications(["after": "2026-01-01T01:00:30+01:00"]).count == 1)
        #expect(try await bench.notifications(["after": "2027-01-01T00:00:00Z"]).isEmpty)
        #expect(try await bench.notifications(["after": "0001-01-01T00:00:00Z"]).count == 2)
    }

    // MARK: Acknowledging

    @Test(
        "Acknowledged notifications are marked, with either name of the list, and others are not",
        arguments: ["ids", "notification_ids"])
    func acknowledgement(name: String) async throws {
        let bench = try SessionsBench()
        for _ in 0..<3 { _ = try await bench.report("PermissionRequest") }
        let ids = try await bench.notifications().compactMap { $0["id"] }
        let unknown: [JSONValue] = [
            "", "/", "a/b", "..", "\u{0}", .string(String(repeating: "a", count: 2_000)), "AAAAAAAAAAAAAAAAAAAA",
        ]
        for _ in 0..<2 {
            let answer = try await bench.call(
                .post, "/api/v1/notifications/ack", .object([name: .array([ids[1], ids[1]] + unknown)]))
            #expect(answer == .statusOK)
            let acknowledged = try await bench.notifications().map { $0["acknowledged"] }
            #expect(acknowledged == [false, true, false])
        }
        let rest = try await bench.call(
            .post, "/api/v1/notifications/ack", ["ids": [ids[0]], "notification_ids": [ids[2]]])
        #expect(rest == .statusOK)
        #expect(try await bench.notifications().allSatisfy { $0["acknowledged"] == true })
        #expect(try await bench.notifications().compactMap { $0["id"] } == ids)
        for nothing: JSONValue in [["ids": []], ["ids": .null, "notification_ids": []]] {
            #expect(try await bench.call(.post, "/api/v1/notifications/ack", nothing) == .statusOK)
        }
    }

    @Test("The first time seen is never after the last, however slow the commit")
    func slowCommit() async throws {
        let bench = try SessionsBench()
        let seen = JSONValue.string(bench.clock.timestamp.description)
        bench.store.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in bench.clock.advance(by: .milliseconds(3)) }
        }
        _ = try await bench.report("SessionStart")
        let device = try #require(try await bench.list("devices").first)
        #expect(device["first_seen"] == seen && device["last_seen"] == seen)
        let session = try #require(try await bench.list("sessions").first)
        #expect(session["started_at"] == seen && session["last_event"] == seen)
    }

    @Test(
        "An invalid acknowledgement is answered with its reason",
        arguments: [
            ("[]", "the body must be a JSON object"), ("{}", "ids is required"),
            (#"{"ids":"a"}"#, "ids must be a list of strings"), (#"{"ids":null}"#, "ids is required"),
            (#"{"notification_ids":["a",1]}"#, "ids must be a list of strings"),
            (#"{"ids":[\#((0..<501).map { "\"\($0)\"" }.joined(separator: ","))]}"#, "at most 500 ids at once"),
        ])
    func badAcknowledgements(body: String, message: String) async throws {
        let bench = try SessionsBench()
        let answer = try await bench.call(.post, "/api/v1/notifications/ack", text: body)
        #expect(answer == SessionsBench.badRequest(message))
    }

    @Test("A notification deleted during the acknowledgement does not prevent the others")
    func deletedMeanwhile() async throws {
        let bench = try SessionsBench()
        for _ in 0..<2 { _ = try await bench.report("PermissionRequest") }
        let ids = try await bench.notifications().compactMap { $0["id"] }
        let first = try DocumentPath("sessionNotifications/\(ids[0].string ?? "")")
        bench.store.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in _ = try await bench.disk.documents.commit([.delete(first)]) }
        }
        let answer = try await bench.call(.post, "/api/v1/notifications/ack", ["ids": .array(ids)])
        #expect(answer == .statusOK)
        let left = try await bench.notifications()
        #expect(left.map { $0["id"] } == [ids[1]] && left.first?["acknowledged"] == true)
    }

    // MARK: Devices, sessions, events

    @Test("Devices and sessions are listed with all their fields, the last seen first")
    func lists() async throws {
        let bench = try SessionsBench()
        let start = JSONValue.string(bench.clock.timestamp.description)
        _ = try await bench.report("UserPromptSubmit", ["prompt": "One", "cwd": "/srv"], session: "a/b c")
        bench.clock.advance(by: .seconds(1))
        _ = try await bench.report("SessionStart", session: "two", device: "other")
        bench.clock.advance(by: .seconds(1))
        _ = try await bench.report("Stop", session: "a/b c")
        let now = JSONValue.string(bench.clock.timestamp.description)
        let devices = try await bench.list("devices")
        #expect(devices.map { $0["device_id"] } == ["device-1", "other"])
        #expect(
            devices.first == [
                "device_id": "device-1", "device_name": "shahads-macbook", "platform": "darwin", "first_seen": start,
                "last_seen": now, "active_sessions": 1,
            ])
        let sessions = try await bench.list("sessions")
        #expect(sessions.map { $0["session_id"] } == ["a/b c", "two"])
        #expect(
            sessions.first == [
                "session_id": "a/b c", "device_id": "device-1", "started_at": start, "last_event": now,
                "status": "waiting_for_input", "cwd": "/srv", "title": "One", "device_name": "shahads-macbook",
                "platform": "darwin",
            ])
        #expect(sessions.last?["title"] == .null && sessions.last?["cwd"] == .null)
        #expect(try await bench.list("devices/device-1/sessions") == [sessions[0]])
        #expect(try await bench.list("devices/other/sessions") == [sessions[1]])
        let events = try await bench.list("sessions/a%2Fb%20c/events")
        #expect(events.map { $0["hook_event_name"] } == ["Stop", "UserPromptSubmit"])
        let id = events.last?["id"] ?? .null
        #expect(try #require(id.integer) < #require(events.first?["id"]?.integer))
        #expect(
            events.last == [
                "id": id, "session_id": "a/b c", "device_id": "device-1", "hook_event_name": "UserPromptSubmit",
                "cwd": "/srv", "prompt": "One", "notification_type": nil, "tool_name": nil, "message": nil,
                "timestamp": "2026-01-01T00:00:00.000000Z", "received_at": start,
            ])
        for path in ["devices", "sessions", "sessions/a%2Fb%20c/events"] {
            #expect(try await bench.list(path, ["limit": "1"]).count == 1)
        }
    }

    @Test("A list of an unknown device or session is empty")
    func nothing() async throws {
        let bench = try SessionsBench()
        for path in ["devices", "notifications", "sessions/no/events"] {
            let answer = try await bench.call(.get, "/api/v1/\(path)")
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            #expect(answer == FunctionResponse(body: .object([name: []])))
        }
        for path in ["sessions", "devices/no/sessions"] {
            let answer = try await bench.call(.get, "/api/v1/\(path)")
            #expect(answer == FunctionResponse(body: ["sessions": [], "has_more": false, "next_offset": 0]))
        }
    }

    @Test(
        "The status of a session follows its events",
        arguments: [
            ("SessionStart", [:], "active"), ("UserPromptSubmit", [:], "active"), ("SubagentStart", [:], "active"),
            ("SubagentStop", [:], "active"), ("Stop", [:], "waiting_for_input"),
            ("PermissionRequest", [:], "waiting_for_permission"),
            ("Notification", ["notification_type": "permission_prompt"], "waiting_for_permission"),
            ("Notification", ["notification_type": "idle_prompt"], "idle"), ("SessionEnd", [:], "ended"),
        ] as [(String, JSONObject, String)])
    func status(event: String, fields: JSONObject, status: String) async throws {
        let bench = try SessionsBench()
        _ = try await bench.report("SomethingNew")
        #expect(try await bench.list("sessions").map { $0["status"] } == ["active"])
        _ = try await bench.report(event, fields)
        for other in ["SomethingNew", "PreToolUse", "PostToolUse"] { _ = try await bench.report(other, fields) }
        #expect(try await bench.list("sessions").map { $0["status"] } == [.string(status)])
    }

    // MARK: Versions

    @Test("The versions grow with events and notifications and survive a restart")
    func versions() async throws {
        let first = try SessionsBench()
        func ping(_ bench: SessionsBench) async throws -> JSONValue { try await bench.call(.get, "/api/v1/ping").body }
        func versions(_ data: JSONValue, _ notifications: JSONValue) -> JSONValue {
            [
                "status": "ok", "server_version": "1.2.3", "data_version": data,
                "notification_version": notifications,
            ]
        }
        #expect(try await ping(first) == versions(0, 0))
        _ = try await first.report("SessionStart")
        #expect(try await ping(first) == versions(1, 0))
        _ = try await first.report("Stop")
        _ = try await first.report("Stop")
        #expect(try await ping(first) == versions(3, 1))
        let second = try SessionsBench(on: first.disk, clock: first.clock)
        #expect(try await ping(second) == versions(3, 1))
        second.clock.advance(by: .seconds(10 * 24 * 60 * 60))
        try await second.clean()
        _ = try await second.report("Stop")
        #expect(try await ping(second) == versions(4, 2))
    }
}
