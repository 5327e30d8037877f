import JSON
import SimulatorTools
import TestDoubles
import Testing

@testable import WebPushService

@Suite("Control router of the push service without a socket")
struct PushControlRouterTests {
    let fixture: BrokerFixture
    var router: PushControlRouter {
        PushControlRouter(broker: fixture.broker, history: fixture.history, scripts: fixture.scripts)
    }

    init() throws { fixture = try BrokerFixture() }

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
        let bodies: [String: JSONValue] = [
            "/answers": ["token": nil, "status": 201], "/subscriptions": ["service": "apple"],
            "/browsers": ["id": nil, "minimum_urgency": "normal"],
        ]
        for endpoint in endpoints where endpoint != "DELETE /subscriptions" {
            let parts = endpoint.split(separator: " ").map(String.init)
            #expect(try send(parts[0], parts[1], bodies[parts[1]]).status == 200, "\(endpoint)")
        }
        #expect(endpoints.count == 12)
        #expect(try send("GET", "/nowhere").status == 404)
        #expect(try send("DELETE", "/browsers").allow == ["GET", "PUT"])
    }

    @Test("GET /notifications filters and pages, and DELETE forgets")
    func notifications() throws {
        fixture.history.record(.sample("m1", headers: [("topic", "a")]))
        fixture.history.record(.sample("m2", headers: [("topic", "b")]))
        fixture.history.update("m2", to: .failed, code: 101)
        #expect(try send("GET", "/notifications?topic=a").body["count"] == 1)
        #expect(try send("GET", "/notifications?message_id=m1&token=t1&status=201").body["count"] == 1)
        let failed = try send("GET", "/notifications?delivery=failed").body
        #expect(failed["notifications"]?[0]?["message_id"] == "m2")
        #expect(failed["notifications"]?[0]?["delivery_code"] == 101)
        let page = try send("GET", "/notifications?limit=1&offset=1").body
        #expect(page["count"] == 2)
        #expect(page["notifications"]?.array?.count == 1)
        #expect(try send("DELETE", "/notifications").body["requests"] == 0)
        #expect(try send("GET", "/notifications").body["count"] == 0)
    }

    @Test(
        "A query of /notifications with an unusable value is refused with its name",
        arguments: ["limit=x", "status=ok", "delivery=lost", "wait_for=-1", "timeout=601", "tokne=ab"])
    func badQuery(query: String) throws {
        let response = try send("GET", "/notifications?" + query)
        #expect(response.status == 400)
        #expect(response.body["message"]?.string?.contains(query.prefix { $0 != "=" }) == true)
    }

    @Test("A query with wait_for ends when a message gets the state of delivery")
    func waits() throws {
        let reply = router.reply(
            to: ControlRequest(method: "GET", target: "/notifications?delivery=acknowledged&wait_for=1&timeout=2"))
        guard case .later(let wait) = reply else {
            Issue.record("the router does not wait")
            return
        }
        #expect(wait.timeout == .seconds(2))
        let ends = Tally()
        let number = wait.begin { ends.add() }
        #expect(number != nil)
        fixture.history.record(.sample("m1"))
        #expect(ends.count == 0)
        fixture.history.update("m1", to: .acknowledged)
        #expect(ends.count == 1)
        #expect(wait.response(false).body["count"] == 1)
        #expect(wait.response(true).body["timed_out"] == true)
    }

    @Test("Scripted answers are set, shown as they were set, and deleted")
    func answers() throws {
        let steps: JSONValue = [
            [
                "status": 429, "accept": false, "reason": "r", "errno": 201, "times": 2, "delay_ms": 5,
                "retry_after": 30,
            ],
            ["status": 503, "accept": true, "times": nil, "delay_ms": 0, "retry_after_date": 60],
            ["hang": true, "accept": false, "times": 1, "delay_ms": 0],
            ["close": true, "accept": true, "times": 1, "delay_ms": 0],
        ]
        let body = try send("PUT", "/answers", ["token": "t1", "answers": steps]).body
        #expect(body["answers"]?[0]?["token"] == "t1")
        #expect(body["answers"]?[0]?["answers"] == steps)
        #expect(fixture.scripts.takeAnswer(for: "t1")?.retryAfter == .seconds(30))
        #expect(try send("POST", "/answers", ["token": nil, "status": 410]).body["answers"]?.array?.count == 2)
        #expect(try send("DELETE", "/answers?token=t1").body["answers"]?.array?.count == 1)
        #expect(try send("DELETE", "/answers").body["answers"] == [])
    }

    @Test(
        "A script that is malformed is refused, and changes nothing",
        arguments: [
            #"{"status":410}"#, #"{"token":null}"#, #"{"token":null,"status":99}"#,
            #"{"token":null,"status":410,"hang":true}"#, #"{"token":null,"hang":false}"#,
            #"{"token":null,"status":410,"retry":1}"#, #"{"token":7,"status":410}"#, #"{"token":null,"answers":[1]}"#,
            #"{"token":null,"status":410,"answers":[]}"#, "[]", "{",
        ])
    func badScript(body: String) throws {
        let request = ControlRequest(method: "PUT", target: "/answers", body: Array(body.utf8))
        guard case .now(let response) = router.reply(to: request) else {
            Issue.record("the router wants to wait")
            return
        }
        #expect(response.status == 400)
        #expect(fixture.scripts.remaining.isEmpty)
    }

    @Test("A subscription without a browser has the form of PushSubscription.toJSON(), and can be ended")
    func subscriptions() throws {
        let key = try SamplePush().publicKey
        let body = try send(
            "POST", "/subscriptions",
            ["service": "apple", "application_server_key": .string(key), "maximum_body": 3_070]
        ).body
        #expect(body["endpoint"] == "https://127.0.0.1:8030/token1")
        #expect(body["expirationTime"] == .null)
        #expect(UncompressedPoint(base64URL: body["keys"]?["p256dh"]?.string ?? "")?.verifyingKey() != nil)
        #expect(body["keys"]?["auth"]?.string?.count == 22)
        #expect(body["private_key"]?.string?.hasPrefix("-----BEGIN PRIVATE KEY-----") == true)
        let shown = try #require(try send("GET", "/subscriptions").body["subscriptions"]?[0])
        #expect(shown["application_server_key"] == .string(key))
        #expect(shown["maximum_body"] == 3_070)
        #expect(shown["ended"] == false)
        #expect(try send("DELETE", "/subscriptions?token=token1").body["subscriptions"]?[0]?["ended"] == true)
        #expect(try send("DELETE", "/subscriptions?token=token1").status == 400)
        #expect(try send("DELETE", "/subscriptions").status == 400)
    }

    @Test(
        "A subscription with an unusable value is refused",
        arguments: [
            ["service": "nobody"], [:], ["service": "apple", "application_server_key": "BAAA"],
            ["service": "apple", "maximum_body": 4_097], ["service": "apple", "keys": 1],
        ] as [JSONValue])
    func badSubscription(body: JSONValue) throws {
        #expect(try send("POST", "/subscriptions", body).status == 400)
        #expect(fixture.broker.records.isEmpty)
    }

    @Test("Browsers are listed, and can be made to save power")
    func browsers() throws {
        fixture.broker.add(.firefox("b1"))
        fixture.broker.add(.chromium(2, securityToken: 3))
        _ = fixture.broker.connect("b1") {}
        let change: JSONValue = ["id": "b1", "minimum_urgency": "high"]
        #expect(
            try send("PUT", "/browsers", change).body["browsers"] == [
                ["id": "2", "kind": "chromium", "connected": false, "minimum_urgency": "very-low"],
                ["id": "b1", "kind": "firefox", "connected": true, "minimum_urgency": "high"],
            ])
        #expect(try send("PUT", "/browsers", ["id": "b3", "minimum_urgency": "high"]).status == 400)
        #expect(try send("PUT", "/browsers", ["id": nil, "minimum_urgency": "urgent"]).status == 400)
        #expect(try send("PUT", "/browsers", ["id": nil, "minimum_urgency": "low"]).status == 200)
        #expect(fixture.broker.browsers.map(\.browser.minimumUrgency) == [.low, .low])
    }
}
