import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("updateReply", .timeLimit(.minutes(10)))
struct UpdateReplyTests {
    private static let start = String(repeating: "ab", count: 80)

    private func register(_ bench: Bench, _ installation: String = "phone") async throws {
        let call = Call([
            "cwd": "/srv/app", "installation_id": .string(installation), "fcm_token": .string("token-\(installation)"),
            "agent_display_name": "My agent", "bundle_id": "com.example.app",
            "live_activity": ["push_to_start_token": .string(Self.start)],
        ])
        #expect(try await bench.register(call).status == .ok)
    }

    private func update(_ bench: Bench, _ more: JSONObject = [:]) async throws -> FunctionResponse {
        var json: JSONObject = ["cwd": "/srv/app"]
        for (name, value) in more.members { json[name] = value }
        return try await bench.call("updateReply", Call(.object(json)))
    }

    /// The payloads of pushes to cards, in order.
    private func pushes(_ bench: Bench) -> [JSONValue] {
        bench.transport.sent.filter { $0.message.lane.transport == .liveActivity }
            .compactMap { $0.message.message.apns?.payload["aps"] }
    }

    private func pushed(_ count: Int, _ bench: Bench) async throws -> [JSONValue] {
        try await eventually("\(count) pushes are sent") { pushes(bench).count >= count }
        return pushes(bench)
    }

    // MARK: A card

    @Test("Progress starts a card with the agent's title, and changes it; the trigger ends it with the preview")
    func life() async throws {
        let bench = try Bench()
        try await bench.running {
            try await register(bench)
            #expect(try await update(bench, ["step": "Plan", "text": "Reading"]) == .ok(["ok": true, "devices": 1]))
            let start = try await pushed(1, bench)[0]
            #expect(start["event"] == "start" && start["alert"]?["title"] == "My agent")
            let attributes = start["attributes"]
            #expect(attributes?["cwd"] == "/srv/app" && attributes?["server_key"] == .string(Call.serverKey))
            #expect(bench.transport.tokens == [Self.start])

            bench.clock.advance(by: .seconds(1))
            #expect(try await update(bench, ["percentage": 40]).body["devices"] == 1)
            let progress = try await pushed(2, bench)[1]
            #expect(progress["event"] == "update" && progress["content-state"]?["percentage"] == 40)
            #expect(progress["content-state"]?["step"] == "Plan" && progress["content-state"]?["text"] == "Reading")

            bench.clock.advance(by: .seconds(1))
            _ = try await bench.trigger(.trigger(["message_preview": "All tests pass."]))
            let end = try await pushed(3, bench)[2]
            #expect(end["event"] == "end" && end["content-state"]?["state"] == "finished")
            #expect(end["content-state"]?["text"] == "All tests pass.")
            let alerts = bench.transport.sent.filter { $0.token == "token-phone" }
            #expect(alerts.map { $0.message.message.notification?.body } == ["All tests pass."])
        }
    }

    @Test("Each conversation has a card of its own, and a trigger ends that of its conversation")
    func conversations() async throws {
        let bench = try Bench()
        try await bench.running {
            try await register(bench)
            for id in ["c-1", "c-2"] { _ = try await update(bench, ["conversation_id": .string(id)]) }
            let starts = try await pushed(2, bench)
            #expect(Set(starts.map { $0["attributes"]?["conversation_id"] }) == ["c-1", "c-2"])
            _ = try await bench.trigger(.trigger(["conversation_id": "c-2"]))
            let end = try await pushed(3, bench)[2]
            #expect(end["event"] == "end")
            let states = try await bench.documents().filter { $0.key.hasPrefix("liveActivityCards/") }
                .compactMap { $0.value["state"]?.string }
            #expect(states.sorted() == ["finished", "running"])
        }
    }

    @Test(
        "Each state of a reply is a state of its card, and only the need of somebody is urgent",
        arguments: [
            ("running", "update", "5"), ("waiting", "update", "10"), ("finished", "end", "5"),
            ("failed", "end", "5"), ("cancelled", "end", "5"),
        ])
    func states(state: String, event: String, priority: String) async throws {
        let bench = try Bench()
        try await bench.running {
            try await register(bench)
            _ = try await update(bench)
            _ = try await pushed(1, bench)
            _ = try await update(bench, ["state": .string(state), "text": "Now"])
            let push = try await pushed(2, bench)[1]
            #expect(push["event"] == .string(event) && push["content-state"]?["state"] == .string(state))
            let header = bench.transport.sent.last?.message.message.apns?.header("apns-priority")
            #expect(header == priority)
        }
    }

    @Test("A trigger that is repeated with its key ends no later card")
    func repeatedTrigger() async throws {
        let bench = try Bench()
        try await bench.running {
            try await register(bench)
            _ = try await update(bench)
            _ = try await pushed(1, bench)
            var call = Call.trigger()
            call.headers[try #require(HTTPField.Name("Idempotency-Key"))] = "key-0123456789abcdef"
            _ = try await bench.trigger(call)
            _ = try await pushed(2, bench)
            bench.clock.advance(by: .seconds(60))
            _ = try await update(bench)
            _ = try await pushed(3, bench)
            _ = try await bench.trigger(call)
            let open = try await bench.documents().filter { $0.key.hasPrefix("liveActivityCards/") }
                .compactMap { $0.value["state"]?.string }
            #expect(open == ["running"])
        }
    }

    @Test("A report that was overtaken by a later one changes nothing, and the end counts in any case")
    func order() async throws {
        let bench = try Bench()
        try await bench.running {
            try await register(bench)
            for (seq, text, count) in [(1, "Reading", 1), (3, "Testing", 2), (2, "Building", 2)]
                as [(Int64, String, Int)]
            {
                let answer = try await update(bench, ["seq": .integer(seq), "text": .string(text)])
                #expect(answer == .ok(["ok": true, "devices": 1]))
                _ = try await pushed(count, bench)
                bench.clock.advance(by: .seconds(1))
            }
            _ = try await update(bench, ["seq": 2, "state": "finished"])
            let texts = try await pushed(3, bench).map { $0["content-state"]?["text"] }
            #expect(texts == ["Reading", "Testing", nil])
        }
    }

    // MARK: No card

    @Test("An unknown server, and one whose devices show no cards, get the reason, and nothing is sent or stored")
    func reasons() async throws {
        let bench = try Bench()
        #expect(try await update(bench) == .ok(["ok": true, "devices": 0, "reason": "unknown_server"]))
        #expect(try await bench.documents().isEmpty)
        _ = try await bench.register()
        #expect(try await update(bench) == .ok(["ok": true, "devices": 0, "reason": "no_live_activity"]))
        let collections = try await bench.documents().keys.compactMap { $0.split(separator: "/").first }
        #expect(Set(collections) == ["servers"])
    }

    @Test("Reports that no device shows read the devices once in ten seconds, until a device with cards registers")
    func unshown() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        let reads = Tally()
        bench.store.set { hooks in hooks.beforeQuery = { _ in reads.add() } }
        let none = FunctionResponse.ok(["ok": true, "devices": 0, "reason": "no_live_activity"])
        for _ in 0..<3 { #expect(try await update(bench) == none) }
        #expect(reads.count == 1)
        bench.clock.advance(by: .seconds(10))
        #expect(try await update(bench) == none)
        #expect(reads.count == 2)
        try await register(bench)
        #expect(try await update(bench) == .ok(["ok": true, "devices": 1]))
    }

    @Test("A trigger of a server that reports no progress looks for no card")
    func triggerWithoutProgress() async throws {
        let bench = try Bench()
        let reads = Tally()
        bench.store.set { hooks in
            hooks.beforeRead = { paths in
                if paths.contains(where: { $0.description.hasPrefix("liveActivityCards/") }) { reads.add() }
            }
        }
        try await bench.running {
            try await register(bench)
            _ = try await bench.trigger()
            #expect(reads.count == 0)
            _ = try await update(bench)
            _ = try await bench.trigger()
            #expect(reads.count == 2)
        }
    }

    @Test("A denied server is refused")
    func denied() async throws {
        let bench = try Bench()
        try await register(bench)
        _ = try await bench.module.setAccess(.denied, of: Call.serverKey, name: nil)
        #expect(try await update(bench).body["error"] == "server_not_allowed")
    }

    // MARK: Fields and limits

    @Test(
        "Another state, and a percentage out of range, are refused in words",
        arguments: [
            (["state": "paused"], "state must be one of: running, waiting, finished, failed, cancelled"),
            (["percentage": 101], "percentage must be from 0 to 100"),
            (["percentage": -1], "percentage must be from 0 to 100"),
        ] as [(JSONObject, String)])
    func refused(more: JSONObject, text: String) async throws {
        let answer = try await update(try Bench(), more)
        #expect(answer.withoutMessage == .badRequest && answer.body["message"] == .string(text))
    }

    @Test("Updates have a limit of 600 a minute with one secret, which takes nothing from the other functions")
    func limit() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        for _ in 0..<600 { #expect(try await update(bench).status == .ok) }
        #expect(try await update(bench).withoutMessage == .rateLimited(retryAfter: 60))
        for _ in 0..<59 { #expect(try await bench.register().status == .ok) }
        #expect(try await bench.register().withoutMessage == .rateLimited(retryAfter: 60))
        bench.clock.advance(by: .seconds(60))
        #expect(try await update(bench).status == .ok)
    }

    @Test("Updates from one address have a limit too, which a refused secret does not spend")
    func addressLimit() async throws {
        let bench = try Bench {
            $0.updatesPerMinutePerSecret = 1
            $0.updatesPerMinutePerAddress = 2
        }
        func answer(_ secret: String) async throws -> FunctionResponse {
            try await bench.call("updateReply", Call(["cwd": "/a"], secret: secret)).withoutMessage
        }
        let secrets = ["a", "b", "c"].map { String(repeating: $0, count: 40) }
        #expect(try await answer(secrets[0]).status == .ok)
        #expect(try await answer(secrets[0]) == .rateLimited(retryAfter: 60))
        #expect(try await answer(secrets[1]).status == .ok)
        #expect(try await answer(secrets[2]) == .rateLimited(retryAfter: 60))
    }
}
