import JSON
import SimulatorTools
import TestDoubles
import Testing

@testable import APNsSimulator

@Suite("Simulator's control router without a socket")
struct ControlRouterTests {
    let history = NotificationHistory(limits: .init(notifications: 100, payloadBytes: 100_000))
    let scripts = ScriptTable()
    var router: ControlRouter { ControlRouter(history: history, scripts: scripts) }

    private func send(_ method: String, _ target: String, _ body: JSONValue? = nil) throws -> ControlResponse {
        let request = ControlRequest(method: method, target: target, body: body?.serialized ?? [])
        guard case .now(let response) = router.reply(to: request) else {
            throw ControlError.badRequest("the router wants to wait")
        }
        return response
    }

    @Test("GET / lists every control endpoint")
    func help() throws {
        let endpoints = try #require(try send("GET", "/").body["endpoints"]?.object?.members.map(\.name))
        for endpoint in endpoints {
            let parts = endpoint.split(separator: " ").map(String.init)
            let body: JSONValue = parts[1] == "/answers" ? ["token": nil, "status": 200] : ["refuse_every": 2]
            #expect(try send(parts[0], parts[1], body).status == 200, "\(endpoint)")
        }
        #expect(endpoints.count == 12)
    }

    @Test("An unknown control path answers 404, and an unknown method 405 with the allowed ones")
    func notFound() throws {
        #expect(try send("GET", "/nowhere").status == 404)
        #expect(try send("GET", "/nowhere").body["error"] == "not_found")
        let response = try send("POST", "/notifications")
        #expect(response.status == 405)
        #expect(response.allow == ["GET", "DELETE"])
    }

    @Test("GET /notifications shows headers, claims, payload and answer")
    func notifications() throws {
        history.record(
            .sample(
                headers: [("apns-topic", "com.example.app")], body: #"{"aps":{"badge":1}}"#, rejection: .unregistered))
        let body = try send("GET", "/notifications").body
        #expect(
            body == [
                "count": 1,
                "notifications": [
                    [
                        "number": 1, "connection": 1, "received_at": 1_800_000_000_000, "token": "ab",
                        "apns_id": "eabeae54-14a8-41e5-b60b-1697f925ec7b", "headers": ["apns-topic": "com.example.app"],
                        "provider_token": [
                            "key_id": "KEY1234567", "team_id": "TEAM123456", "issued_at": 1_799_999_000,
                        ],
                        "payload": ["aps": ["badge": 1]], "status": 410, "reason": "Unregistered",
                    ]
                ],
            ])
    }

    @Test("A payload that is no JSON is shown as text")
    func brokenPayload() throws {
        history.record(.sample(body: "{oops", rejection: .payloadEmpty))
        let notification = try send("GET", "/notifications").body["notifications"]?[0]
        #expect(notification?["payload"] == .null)
        #expect(notification?["body"] == "{oops")
    }

    @Test("The query of /notifications filters and pages")
    func query() throws {
        for token in ["ab", "cd", "ab"] { history.record(.sample(token: token)) }
        let body = try send("GET", "/notifications?token=AB&status=200&offset=1&limit=5").body
        #expect(body["count"] == 2)
        #expect(body["notifications"]?.array?.map { $0["number"] } == [3])
    }

    @Test(
        "An invalid query of /notifications is refused with the parameter's name",
        arguments: ["limit=x", "offset=-1", "status=ok", "wait_for=many", "timeout=never", "timeout=601", "tokne=ab"])
    func badQuery(query: String) throws {
        let response = try send("GET", "/notifications?" + query)
        #expect(response.status == 400)
        #expect(response.body["error"] == "bad_request")
        #expect(response.body["message"]?.string?.contains(query.prefix { $0 != "=" }) == true)
    }

    @Test("A query of /notifications with wait_for waits for that number")
    func wait() throws {
        let reply = router.reply(
            to: ControlRequest(method: "GET", target: "/notifications?wait_for=3&timeout=1.5&push_type=alert"))
        guard case .later(let wait) = reply else {
            Issue.record("the router does not wait")
            return
        }
        #expect(wait.timeout == .milliseconds(1500))
        let ends = Tally()
        let number = wait.begin { ends.add() }
        #expect(number != nil)
        for _ in 0..<2 { history.record(.sample(headers: [("apns-push-type", "alert")])) }
        history.record(.sample(headers: [("apns-push-type", "background")]))
        #expect(ends.count == 0)
        history.record(.sample(headers: [("apns-push-type", "alert")]))
        #expect(ends.count == 1)
        #expect(wait.response(false).body["count"] == 3)
        #expect(wait.response(true).body["timed_out"] == true)
    }

    @Test("DELETE /notifications removes the notifications and their counts")
    func forget() throws {
        history.record(.sample())
        #expect(try send("GET", "/status").body["requests"] == 1)
        #expect(try send("DELETE", "/notifications").status == 200)
        #expect(try send("GET", "/notifications").body["count"] == 0)
        #expect(try send("GET", "/status").body["requests"] == 0)
    }

    @Test("GET /status shows every counter")
    func status() throws {
        history.record(.sample())
        history.record(.sample())
        history.record(.sample(rejection: .badTopic))
        #expect(
            try send("GET", "/status").body == [
                "connections_opened": 0, "connections_open": 0, "streams": 0, "streams_reset": 0,
                "streams_refused": 0, "streams_aborted": 0, "goaways_sent": 0, "connections_stalled": 0,
                "connections_broken": 0, "requests": 3,
                "accepted": 2, "rejected": 1, "requests_by_status": ["200": 2, "400": 1],
                "requests_by_reason": ["BadTopic": 1], "duplicates": 1, "distinct_tokens": 1,
                "distinct_provider_tokens": 0, "channel_requests": 0, "channels_created": 0, "channels_deleted": 0,
                "forgotten": 0,
            ])
    }
}
