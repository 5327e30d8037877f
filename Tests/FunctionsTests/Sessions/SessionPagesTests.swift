import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Sessions: pages of sessions", .timeLimit(.minutes(10)))
struct SessionPagesTests {
    /// Creates seven sessions, one per second. The odd ones have ended.
    private func bench() async throws -> SessionsBench {
        let bench = try SessionsBench()
        for number in 0..<7 {
            bench.clock.advance(by: .seconds(1))
            _ = try await bench.report(number % 2 == 1 ? "SessionEnd" : "Stop", session: "s\(number)")
        }
        return bench
    }

    private static func ids(_ answer: FunctionResponse) -> [String] {
        answer.body["sessions"]?.array?.compactMap { $0["session_id"]?.string } ?? []
    }

    @Test(
        "A page lists ended sessions last, each kind by last event, and gives the next offset",
        arguments: [
            (["limit": "50"], ["s6", "s4", "s2", "s0", "s5", "s3", "s1"], false, 7),
            ([:], ["s6", "s4", "s2", "s0", "s5", "s3", "s1"], false, 7),
            (["limit": "3"], ["s6", "s4", "s2"], true, 3),
            (["limit": "3", "offset": "3"], ["s0", "s5", "s3"], true, 6),
            (["limit": "3", "offset": "6"], ["s1"], false, 7),
            (["limit": "2", "offset": "4"], ["s5", "s3"], true, 6),
            (["limit": "2", "offset": "5"], ["s3", "s1"], false, 7),
            (["limit": "7"], ["s6", "s4", "s2", "s0", "s5", "s3", "s1"], false, 7),
            (["offset": "7"], [], false, 7),
            (["offset": "99"], [], false, 99),
            (["exclude_ended": "true", "limit": "4"], ["s6", "s4", "s2", "s0"], false, 4),
            (["exclude_ended": "1", "limit": "2", "offset": "1"], ["s4", "s2"], true, 3),
            (["exclude_ended": "false", "limit": "5"], ["s6", "s4", "s2", "s0", "s5"], true, 5),
            (["status": "ended", "limit": "2"], ["s5", "s3"], true, 2),
            (["status": "ended", "limit": "2", "offset": "2"], ["s1"], false, 3),
            (["status": "waiting_for_input", "offset": "3"], ["s0"], false, 4),
            (["status": "active"], [], false, 0),
            (["status": "no-such"], [], false, 0),
            (["status": "ended", "exclude_ended": "true"], [], false, 0),
        ] as [([String: String], [String], Bool, Int64)])
    func pages(query: [String: String], ids: [String], hasMore: Bool, nextOffset: Int64) async throws {
        let answer = try await bench().call(.get, "/api/v1/sessions", query: query)
        #expect(Self.ids(answer) == ids)
        #expect(answer.body["has_more"] == .bool(hasMore) && answer.body["next_offset"] == .integer(nextOffset))
    }

    @Test("A page has 50 sessions by default and at most 200, and a list of events 100 by default")
    func standardPages() async throws {
        let bench = try SessionsBench()
        for number in 0..<201 { _ = try await bench.report("SessionStart", session: "s\(number)") }
        for (query, count) in [([:], 50), (["limit": "201"], 200), (["limit": "200"], 200)] {
            let answer = try await bench.call(.get, "/api/v1/sessions", query: query)
            #expect(Self.ids(answer).count == count && answer.body["has_more"] == true)
            #expect(try await bench.list("devices/device-1/sessions", query).count == count)
        }
        for _ in 0..<101 { _ = try await bench.report("PreToolUse", session: "s0") }
        #expect(try await bench.list("sessions/s0/events").count == 100)
    }

    @Test("The sessions of a device are listed by last event and can be filtered by status")
    func device() async throws {
        let bench = try await bench()
        _ = try await bench.report("Stop", session: "other", device: "other")
        for (query, ids) in [
            ([:], ["s6", "s5", "s4", "s3", "s2", "s1", "s0"]), (["limit": "2"], ["s6", "s5"]),
            (["status": "ended"], ["s5", "s3", "s1"]), (["status": "waiting_for_input", "limit": "1"], ["s6"]),
        ] {
            let answer = try await bench.call(.get, "/api/v1/devices/device-1/sessions", query: query)
            #expect(Self.ids(answer) == ids)
            #expect(answer.body["has_more"] == false && answer.body["next_offset"] == 0)
        }
    }

    @Test("A device's count of active sessions excludes ended ones")
    func activeSessions() async throws {
        let bench = try await bench()
        _ = try await bench.report("SessionEnd", session: "other", device: "other")
        let counts = try await bench.list("devices").map { [$0["device_id"], $0["active_sessions"]] }
        #expect(Set(counts) == [["device-1", 4], ["other", 0]])
        _ = try await bench.report("SessionEnd", session: "s0")
        _ = try await bench.report("UserPromptSubmit", session: "other", device: "other")
        let after = try await bench.list("devices").map { [$0["device_id"], $0["active_sessions"]] }
        #expect(Set(after) == [["device-1", 3], ["other", 1]])
    }

    @Test(
        "An invalid parameter of a page of sessions is refused",
        arguments: [
            ("offset", "-1", "offset must be a whole number, 0 or more"),
            ("offset", "x", "offset must be a whole number, 0 or more"),
            ("exclude_ended", "maybe", "exclude_ended must be true or false"),
        ])
    func badParameters(name: String, value: String, message: String) async throws {
        let answer = try await bench().call(.get, "/api/v1/sessions", query: [name: value])
        #expect(answer == SessionsBench.badRequest(message))
        let huge = try await bench().call(.get, "/api/v1/sessions", query: ["offset": "99999999999999999999"])
        #expect(huge.status == .ok && Self.ids(huge).isEmpty)
    }
}
