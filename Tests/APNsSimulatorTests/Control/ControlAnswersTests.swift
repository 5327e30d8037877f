import JSON
import SimulatorTools
import Testing

@testable import APNsSimulator

@Suite("Simulator's control API for answers")
struct ControlAnswersTests {
    let scripts = ScriptTable()
    var router: ControlRouter {
        ControlRouter(history: NotificationHistory(limits: .init(notifications: 1, payloadBytes: 1)), scripts: scripts)
    }

    private func send(_ method: String, _ target: String, _ body: String = "") -> ControlResponse? {
        let request = ControlRequest(method: method, target: target, body: Array(body.utf8))
        guard case .now(let response) = router.reply(to: request) else { return nil }
        return response
    }

    @Test("PUT /answers accepts one step as an object with its token")
    func oneStep() {
        let body = """
            {"token":"AB","status":410,"reason":"Unregistered","timestamp":1700000000000,"times":2,"delay_ms":50,\
            "retry_after":9}
            """
        #expect(send("PUT", "/answers", body)?.status == 200)
        let expected = ScriptedAnswer(
            status: 410, reason: "Unregistered", timestamp: 1_700_000_000_000, count: 2, delay: .milliseconds(50),
            retryAfter: 9)
        #expect(scripts.answers.takeAnswer(for: "ab") == expected)
        #expect(scripts.answers.takeAnswer(for: "ab")?.status == 410)
        #expect(scripts.answers.takeAnswer(for: "ab") == nil)
    }

    @Test("PUT /answers accepts several steps, with 1 as the default of times and null for ever")
    func severalSteps() {
        let body = #"{"token":null,"answers":[{"status":503,"reason":"Shutdown"},{"status":429,"times":null}]}"#
        let response = send("POST", "/answers", body)
        #expect(
            response?.body == [
                "answers": [
                    [
                        "token": nil,
                        "answers": [
                            ["status": 503, "reason": "Shutdown", "times": 1, "delay_ms": 0],
                            ["status": 429, "times": nil, "delay_ms": 0],
                        ],
                    ]
                ]
            ])
        #expect((0..<4).map { _ in scripts.answers.takeAnswer(for: "ab")?.status } == [503, 429, 429, 429])
    }

    @Test("PUT /answers replaces a token's steps, and POST appends")
    func putAndPost() {
        _ = send("PUT", "/answers", #"{"token":"ab","status":500}"#)
        _ = send("PUT", "/answers", #"{"token":"ab","status":503}"#)
        _ = send("POST", "/answers", #"{"token":"ab","status":429}"#)
        #expect((0..<3).map { _ in scripts.answers.takeAnswer(for: "ab")?.status } == [503, 429, nil])
    }

    @Test("DELETE /answers removes the steps of one token, or all")
    func delete() {
        for token in [#""ab""#, #""cd""#, "null"] { _ = send("POST", "/answers", #"{"token":\#(token),"status":500}"#) }
        #expect(send("DELETE", "/answers?token=ab")?.body["answers"]?.array?.count == 2)
        #expect(send("DELETE", "/answers")?.body["answers"] == [])
        #expect(scripts.answers.takeAnswer(for: "cd") == nil)
    }

    @Test(
        "An invalid body for /answers is refused with a reason, and changes nothing",
        arguments: [
            "", "[]", "{", #"{"status":410}"#, #"{"token":"ab"}"#, #"{"token":7,"status":410}"#,
            #"{"token":"ab","status":199}"#, #"{"token":"ab","status":"410"}"#,
            #"{"token":"ab","status":410,"reson":"x"}"#,
            #"{"token":"ab","status":410,"times":-1}"#, #"{"token":"ab","status":410,"delay_ms":-1}"#,
            #"{"token":"ab","status":410,"reason":7}"#, #"{"token":"ab","answers":[7]}"#,
            #"{"token":"ab","answers":{}}"#,
            #"{"token":"ab","status":410,"answers":[]}"#,
            #"{"token":"ab","answers":[{"status":410},{"status":0}]}"#,
        ])
    func refused(body: String) {
        let response = send("POST", "/answers", body)
        #expect(response?.status == 400)
        #expect(response?.body["error"] == "bad_request")
        #expect(response?.body["message"]?.string?.isEmpty == false)
        #expect(scripts.answers.remaining.isEmpty)
    }

    @Test("DELETE /answers refuses an unknown query, and removes nothing")
    func deleteTypo() {
        _ = send("POST", "/answers", #"{"token":"ab","status":500}"#)
        #expect(send("DELETE", "/answers?tokne=ab")?.status == 400)
        #expect(scripts.answers.remaining.count == 1)
    }
}
