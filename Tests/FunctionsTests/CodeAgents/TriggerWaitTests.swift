import Functions
import HTTPTypes
import JSON
import Messaging
import Synchronization
import TestDoubles
import Testing

@Suite("Waiting of triggerReplyFinished", .timeLimit(.minutes(10)))
struct TriggerWaitTests {
    private static let unreachable = Outcome.failed(
        Failure(code: .serverUnavailable, reason: "refused", laneFailure: .unreachable))

    private static func answer(sent: Int64, pending: Int64, errors: JSONValue? = nil) -> FunctionResponse {
        var body: JSONObject = [
            "ok": true, "attempted": .integer(sent + pending), "sent": .integer(sent), "pruned": 0, "excluded": 0,
            "preview_included": false,
        ]
        if pending > 0 { body["pending"] = .integer(pending) }
        body["errors"] = errors
        return .ok(.object(body))
    }

    private static func call(preferring preference: String? = nil, _ fields: JSONObject = [:]) throws -> Call {
        var call = Call.trigger(fields)
        if let preference { call.headers[try #require(HTTPField.Name("Prefer"))] = preference }
        return call
    }

    @Test("A trigger answers after the first attempt on each device, and retries are pending")
    func firstAttempts() async throws {
        let bench = try Bench(ScriptedTransport { $0.token == "busy" && $0.attempt == 1 ? .busy : .accepted })
        try await bench.running {
            _ = try await bench.register(.register("a", token: "busy"))
            _ = try await bench.register(.register("b", token: "quick"))
            // The clock stands still.
            let answer = try await bench.trigger()
            #expect(answer == Self.answer(sent: 1, pending: 1, errors: ["messaging/server-unavailable": 1]))
            try await eventually("the notification is sent again", advancing: bench.clock, by: .milliseconds(500)) {
                bench.transport.sent.count == 3
            }
        }
    }

    @Test(
        "A trigger of a client that waits, or of the newer daemon, answers with the outcome of retries",
        arguments: [
            ("wait=10", [:]), ("Wait = \"10\"; x=1", [:]), ("return=minimal, wait=60", [:]), ("wait=9,wait=1", [:]),
            (nil, ["assistant_message_cursor": 12]), (nil, ["renderable_assistant_count": "3"]),
            (nil, ["cursor_version": 2]),
        ] as [(String?, JSONObject)])
    func retries(preference: String?, fields: JSONObject) async throws {
        let bench = try Bench(ScriptedTransport { $0.attempt == 1 ? .busy : .accepted })
        try await bench.running {
            _ = try await bench.register()
            async let answer = bench.trigger(Self.call(preferring: preference, fields))
            try await eventually("the notification is sent again", advancing: bench.clock, by: .milliseconds(250)) {
                bench.transport.sent.count == 2
            }
            #expect(try await answer == Self.answer(sent: 1, pending: 0))
            #expect(bench.clock.now.offset < .seconds(9))
        }
    }

    @Test(
        "A trigger waits as long as the client says and at most ten seconds",
        arguments: [("wait=3600", 10), ("wait=10", 10), ("wait=3", 3)])
    func bound(preference: String, seconds: Int) async throws {
        let gate = Gate()
        let bench = try Bench(ScriptedTransport(holding: "slow", at: gate))
        try await bench.running {
            _ = try await bench.register(.register(token: "slow"))
            let answer = Mutex<FunctionResponse?>(nil)
            async let asking: Void = {
                let response = try await bench.trigger(Self.call(preferring: preference))
                answer.withLock { $0 = response }
            }()
            try await eventually("the caller waits") { gate.waiting == 1 && bench.hasDeadlines }
            bench.clock.advance(by: .seconds(seconds) - Deadlines.tick * 2)
            try await eventually("the clock has been checked") { bench.hasDeadlines }
            #expect(answer.withLock(\.self) == nil)
            bench.clock.advance(by: Deadlines.tick * 2)
            try await asking
            #expect(answer.withLock(\.self) == Self.answer(sent: 0, pending: 1))
            gate.open()
        }
    }

    @Test("A trigger answers at once if no retry is due within its wait")
    func hopeless() async throws {
        let bench = try Bench(ScriptedTransport { _ in .busy(retryAfter: .seconds(600)) })
        try await bench.running {
            _ = try await bench.register()
            let answer = try await bench.trigger(Self.call(preferring: "wait=10"))
            #expect(answer == Self.answer(sent: 0, pending: 1, errors: ["messaging/message-rate-exceeded": 1]))
        }
    }

    @Test(
        "A trigger on a lane that is held up answers at once, whatever the client's wait", arguments: ["wait=10", nil])
    func heldUp(preference: String?) async throws {
        let bench = try Bench(ScriptedTransport { _ in Self.unreachable })
        try await bench.running {
            _ = try await bench.register()
            let first = try await bench.trigger(Self.call(preferring: preference))
            #expect(first == Self.answer(sent: 0, pending: 1, errors: ["messaging/server-unavailable": 1]))
            // This one is not attempted at all.
            let second = try await bench.trigger(Self.call(preferring: preference))
            #expect(second == Self.answer(sent: 0, pending: 1))
            #expect(bench.transport.sent.count == 1)
        }
    }

    @Test("Triggers queued in a lane are answered when the lane is held up")
    func queued() async throws {
        let gate = Gate()
        let transport = ScriptedTransport(window: 1) { _ in
            await gate.pass()
            return Self.unreachable
        }
        let bench = try Bench(transport)
        try await bench.running {
            _ = try await bench.register()
            async let answers = withThrowingTaskGroup(of: FunctionResponse.self) { group in
                for _ in 0..<5 { group.addTask { try await bench.trigger(Self.call(preferring: "wait=10")) } }
                var answers: [FunctionResponse] = []
                for try await answer in group { answers.append(answer) }
                return answers
            }
            try await eventually("one is in flight, one waits, and those in between are replaced") {
                let states = try await bench.chunkStates()
                return states.count == 5 && states.count { $0 == "superseded" } == 3 && gate.waiting > 0
            }
            gate.open()
            let bodies = try await answers.map(\.body)
            #expect(bodies.allSatisfy { $0["attempted"] == 1 && $0["sent"] == 0 })
            // The last one replaces the others.
            #expect(bodies.count { $0["pending"] == 1 && $0["superseded"] == nil } == 1)
            #expect(bodies.count { $0["superseded"] == 1 && $0["pending"] == nil && $0["errors"] == nil } == 4)
        }
    }
}

extension Bench {
    /// `true` if a caller waits for a deadline.
    fileprivate var hasDeadlines: Bool { clock.pendingSleeps.contains(Deadlines.tick) }
}
