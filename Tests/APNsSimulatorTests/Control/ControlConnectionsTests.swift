import JSON
import SimulatorTools
import Testing

@testable import APNsSimulator

@Suite("Simulator's control API for connections")
struct ControlConnectionsTests {
    let scripts = ScriptTable()
    var router: ControlRouter {
        ControlRouter(history: NotificationHistory(limits: .init(notifications: 1, payloadBytes: 1)), scripts: scripts)
    }

    private func send(_ method: String, _ body: String = "") -> ControlResponse? {
        let request = ControlRequest(method: method, target: "/connections", body: Array(body.utf8))
        guard case .now(let response) = router.reply(to: request) else { return nil }
        return response
    }

    private static let everything = """
        {"times":null,"stall_after":500,"break":{"after":400,"with":"close","in_answer":true},\
        "goaway":{"after":300,"reason":null,"leave_out_last":true},\
        "stream_limits":[{"after":10,"limit":1},{"after":20,"limit":1000}],"refuse_every":7,\
        "reset":{"every":9,"code":8,"accept":true},\
        "latency":{"p50_ms":5,"p99_ms":80,"max_ms":900,"seed":4},"expired_provider_token":{"after":250},\
        "max_provider_tokens":2,"limit_resets":false}
        """

    @Test("A connection step with every member is accepted, and shown as given")
    func everything() throws {
        let response = send("PUT", Self.everything)
        #expect(response?.status == 200)
        #expect(response?.body == ["connections": [try JSONValue(parsing: Self.everything)]])
        let expected = ConnectionScript.with {
            $0.stallsAfter = 500
            $0.breakage = ConnectionBreakage(afterRequests: 400, kind: .close, isInAnswer: true)
            $0.goAway = ScriptedGoAway(afterRequests: 300, reason: nil, leavesOutLast: true)
            $0.streamLimits = [.init(afterRequests: 10, limit: 1), .init(afterRequests: 20, limit: 1000)]
            $0.refusesEvery = 7
            $0.streamReset = ScriptedStreamReset(every: 9, errorCode: 8, isAccepted: true)
            $0.latency = AnswerLatency(
                .percentiles(p50: .milliseconds(5), p99: .milliseconds(80), max: .milliseconds(900)), seed: 4)
            $0.providerTokenExpiry = ProviderTokenExpiry(afterRequests: 250)
            $0.maximumProviderTokens = 2
            $0.limitsStreamResets = false
        }
        #expect(scripts.takeConnection() == expected)
    }

    @Test("A member missing from a connection step has the value of a well-behaved connection")
    func defaults() {
        _ = send("PUT", #"{"goaway":{"after":3},"break":{"after":4},"reset":{"every":5},"latency":{"ms":[1,2]}}"#)
        let expected = ConnectionScript.with(count: 1) {
            $0.goAway = ScriptedGoAway(afterRequests: 3, reason: "Shutdown", leavesOutLast: false)
            $0.breakage = ConnectionBreakage(afterRequests: 4, kind: .reset, isInAnswer: false)
            $0.streamReset = ScriptedStreamReset(every: 5, errorCode: 2, isAccepted: false)
            $0.latency = AnswerLatency(.oneOf([.milliseconds(1), .milliseconds(2)]))
        }
        #expect(scripts.takeConnection() == expected)
        #expect(scripts.takeConnection() == ConnectionScript())
    }

    @Test("Each connection uses one scripted step; PUT replaces the steps, POST appends and DELETE removes them")
    func steps() {
        _ = send("PUT", #"{"refuse_every":9}"#)
        _ = send("PUT", #"{"connections":[{"times":2,"refuse_every":2},{"stall_handshake":true}]}"#)
        _ = send("POST", #"{"times":null,"refuse_every":3}"#)
        #expect((0..<4).map { _ in scripts.takeConnection().refusesEvery } == [2, 2, nil, 3])
        #expect(send("GET")?.body == ["connections": [["times": nil, "refuse_every": 3]]])
        #expect(send("DELETE")?.body == ["connections": []])
        #expect(scripts.takeConnection() == ConnectionScript())
    }

    @Test("DELETE /answers keeps the connection steps, and DELETE /connections keeps the answers")
    func apart() {
        scripts.answers.append([.rejecting(.unregistered)], for: nil)
        _ = send("PUT", #"{"refuse_every":9}"#)
        _ = router.reply(to: ControlRequest(method: "DELETE", target: "/answers"))
        #expect(scripts.remainingConnections.count == 1)
        scripts.answers.append([.rejecting(.unregistered)], for: nil)
        _ = send("DELETE")
        #expect(scripts.answers.remaining.count == 1)
    }

    @Test(
        "An invalid body for /connections is refused with a reason, and changes nothing",
        arguments: [
            "", "[]", #"{"refuse_evry":2}"#, #"{"refuse_every":0}"#, #"{"refuse_every":"2"}"#, #"{"times":-1}"#,
            #"{"connections":{}}"#, #"{"connections":[7]}"#, #"{"connections":[],"times":1}"#,
            #"{"connections":[{"refuse_every":2},{"refuse_every":0}]}"#,
            #"{"stall_handshake":1}"#, #"{"stall_handshake":true,"stall_after":2}"#, #"{"stall_after":-1}"#,
            #"{"break":{}}"#, #"{"break":{"after":1,"with":"fire"}}"#, #"{"break":{"after":1,"in_answr":true}}"#,
            #"{"goaway":{"reason":"Shutdown"}}"#, #"{"goaway":{"after":0}}"#, #"{"goaway":{"after":1,"reason":7}}"#,
            #"{"stream_limits":{"after":1,"limit":1}}"#, #"{"stream_limits":[{"after":1}]}"#,
            #"{"stream_limits":[{"after":1,"limit":-1}]}"#,
            #"{"stream_limits":[{"after":2,"limit":1},{"after":2,"limit":9}]}"#,
            #"{"reset":{"every":1,"code":4294967296}}"#, #"{"reset":{"code":1}}"#,
            #"{"latency":{"ms":[]}}"#, #"{"latency":{"ms":[-1]}}"#, #"{"latency":{"ms":[1],"max_ms":2}}"#,
            #"{"latency":{"p50_ms":1,"p99_ms":2}}"#, #"{"latency":{"p50_ms":3,"p99_ms":2,"max_ms":4}}"#,
            #"{"latency":{"ms":[1],"seed":-1}}"#, #"{"expired_provider_token":{}}"#,
            #"{"expired_provider_token":true}"#, #"{"max_provider_tokens":0}"#, #"{"limit_resets":"on"}"#,
        ])
    func refused(body: String) {
        let response = send("POST", body)
        #expect(response?.status == 400)
        #expect(response?.body["error"] == "bad_request")
        #expect(response?.body["message"]?.string?.isEmpty == false)
        #expect(scripts.remainingConnections.isEmpty)
    }
}
