import Functions
import HTTPTypes
import JSON
import Messaging
import Synchronization
import TestDoubles
import Testing

@Suite("How long triggerReplyFinished waits", .timeLimit(.minutes(1)))
struct TriggerWaitTests {
    private static let unreachable = Outcome.failed(
        Failure(code: .serverUnavailable, reason: "refused", laneTrouble: .unreachable))

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

    @Test("the answer is given once each phone has been tried; what is tried again is pending")
    func firstAttempts() async throws {
        let bench = try Bench(ScriptedTransport { $0.token == "busy" && $0.attempt == 1 ? .busy : .accepted })
        try await bench.running {
            _ = try await bench.register(.register("a", token: "busy"))
            _ = try await bench.register(.register("b", token: "quick"))
            // Nobody moves the clock.
            let answer = try await bench.trigger()
            #expect(answer == Self.answer(sent: 1, pending: 1, errors: ["messaging/server-unavailable": 1]))
            try await eventually("it is sent again", advancing: bench.clock, by: .milliseconds(500)) {
                bench.transport.sent.count == 3
            }
        }
    }

    @Test(
        "a client that says that it waits, or that must be the newer daemon, hears of what is sent again",
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
            try await eventually("it is sent again", advancing: bench.clock, by: .milliseconds(250)) {
                bench.transport.sent.count == 2
            }
            #expect(try await answer == Self.answer(sent: 1, pending: 0))
            #expect(bench.clock.now.offset < .seconds(9))
        }
    }

    @Test(
        "it waits ten seconds at the most, or as long as the client says",
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
            try await eventually("it is waited for") { gate.waiting == 1 && bench.hasDeadlines }
            bench.clock.advance(by: .seconds(seconds) - Deadlines.tick * 2)
            try await eventually("the clock has been looked at") { bench.hasDeadlines }
            #expect(answer.withLock(\.self) == nil)
            bench.clock.advance(by: Deadlines.tick * 2)
            try await asking
            #expect(answer.withLock(\.self) == Self.answer(sent: 0, pending: 1))
            gate.open()
        }
    }

    @Test("it ends at once when nothing can be tried again within its bound")
    func hopeless() async throws {
        let bench = try Bench(ScriptedTransport { _ in .busy(retryAfter: .seconds(600)) })
        try await bench.running {
            _ = try await bench.register()
            let answer = try await bench.trigger(Self.call(preferring: "wait=10"))
            #expect(answer == Self.answer(sent: 0, pending: 1, errors: ["messaging/message-rate-exceeded": 1]))
        }
    }

    @Test(
        "a lane that is held up is answered at once, however long the client would wait", arguments: ["wait=10", nil])
    func heldUp(preference: String?) async throws {
        let bench = try Bench(ScriptedTransport { _ in Self.unreachable })
        try await bench.running {
            _ = try await bench.register()
            let first = try await bench.trigger(Self.call(preferring: preference))
            #expect(first == Self.answer(sent: 0, pending: 1, errors: ["messaging/server-unavailable": 1]))
            // This one is not tried at all.
            let second = try await bench.trigger(Self.call(preferring: preference))
            #expect(second == Self.answer(sent: 0, pending: 1))
            #expect(bench.transport.sent.count == 1)
        }
    }

    @Test("those that wait in a lane's queue are answered when it is found to be held up")
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
            try await eventually("all of them wait") {
                try await bench.chunkStates().count == 5 && gate.waiting > 0
            }
            gate.open()
            for answer in try await answers { #expect(answer.body["pending"] == 1 && answer.body["sent"] == 0) }
        }
    }
}

extension Bench {
    /// A Boolean value indicating whether somebody waits for a deadline.
    fileprivate var hasDeadlines: Bool { clock.pendingSleeps.contains(Deadlines.tick) }
}
