import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import Synchronization
import TestDoubles
import Testing

@Suite("Runs: cards", .timeLimit(.minutes(10)))
struct RunCardTests {
    private static let start = String(repeating: "ab", count: 80)

    private func register(_ bench: RunsBench) async throws {
        let answer = try await bench.call(
            .post, "/api/devices",
            [
                "token": "token-1", "platform": "ios", "live_activity": ["push_to_start_token": .string(Self.start)],
            ])
        #expect(answer.status == .created)
    }

    private func report(
        _ bench: RunsBench, _ id: String, _ type: String, _ data: JSONObject = [:], seq: Int64 = 1
    ) async throws {
        var all: JSONObject = ["repo_name": "pushgate", "prompt_preview": "Fix the login bug", "server_id": "s-1"]
        for (name, value) in data.members { all[name] = value }
        let answer = try await bench.call(
            .post, "/api/events",
            [
                "id": .string(id), "run_id": "run-1", "seq": .integer(seq), "type": .string(type),
                "data": .object(all),
            ])
        #expect(answer.status == .accepted)
    }

    /// Returns the pushes to cards in order, once there are some.
    private func pushed(_ count: Int, _ bench: RunsBench) async throws -> [ScriptedTransport.Sent] {
        func pushes() -> [ScriptedTransport.Sent] {
            bench.transport.sent.filter { $0.message.lane.transport == .liveActivity }
        }
        try await eventually("\(count) pushes are sent") { pushes().count >= count }
        return pushes()
    }

    private func content(_ sent: ScriptedTransport.Sent) -> JSONValue? {
        sent.message.message.apns?.payload["aps"]?["content-state"]
    }

    @Test("The events of a run drive one card: started, progress, approval needed, decided, ended with its result")
    func life() async throws {
        let bench = try RunsBench()
        try await bench.running {
            try await register(bench)
            try await report(bench, "e1", "run_started")
            let start = try await pushed(1, bench)[0]
            let aps = start.message.message.apns?.payload["aps"]
            #expect(start.token == Self.start && aps?["alert"]?["title"] == "pushgate")
            #expect(aps?["attributes"]?["run_id"] == "run-1" && aps?["attributes"]?["server_id"] == "s-1")

            bench.clock.advance(by: .seconds(1))
            try await report(
                bench, "e2", "run_progress", ["step": "Tests", "percentage": 140, "text": "128\nof 320"], seq: 2)
            let progress = content(try await pushed(2, bench)[1])
            #expect(progress?["step"] == "Tests" && progress?["percentage"] == 100)
            #expect(progress?["text"] == "128 of 320")

            bench.clock.advance(by: .seconds(1))
            try await report(bench, "e3", "approval_requested", ["approval_id": "a-1"], seq: 3)
            let asked = try await pushed(3, bench)[2]
            #expect(content(asked)?["state"] == "waiting" && content(asked)?["text"] == "Fix the login bug")
            #expect(
                content(asked)?["approval"]
                    == ["id": "a-1", "expires_at": .integer(bench.clock.seconds + 86_400)])
            #expect(asked.message.message.apns?.header("apns-priority") == "10")

            bench.clock.advance(by: .seconds(1))
            let decided = try await bench.call(.post, "/api/approvals/a-1", ["decision": "approve"])
            #expect(decided.status == .ok)
            let approved = content(try await pushed(4, bench)[3])
            #expect(approved?["state"] == "running" && approved?["approval"] == nil)
            #expect(approved?["text"] == "Approved")

            bench.clock.advance(by: .seconds(1))
            try await report(bench, "e4", "approval_resolved", ["approval_id": "a-1"], seq: 4)
            try await report(bench, "e5", "run_failed", ["error": "Tests fail"], seq: 5)
            let end = try await pushed(5, bench)[4]
            #expect(content(end)?["state"] == "failed" && content(end)?["text"] == "Tests fail")
            #expect(end.message.message.apns?.payload["aps"]?["event"] == "end")
            try await report(bench, "e6", "run_progress", ["text": "late"], seq: 4)
            try await bench.untilStored()
            #expect(try await pushed(5, bench).count == 5)
        }
    }

    @Test("An approval that the run's server resolves, or that ends with its run, leaves the card")
    func resolved() async throws {
        let bench = try RunsBench()
        try await bench.running {
            try await register(bench)
            try await report(bench, "e1", "approval_requested", ["approval_id": "a-1"])
            _ = try await pushed(1, bench)
            bench.clock.advance(by: .seconds(1))
            try await report(bench, "e2", "approval_resolved", ["approval_id": "a-1"], seq: 2)
            let closed = content(try await pushed(2, bench)[1])
            #expect(closed?["state"] == "running" && closed?["text"] == nil)
            bench.clock.advance(by: .seconds(1))
            try await report(bench, "e3", "approval_requested", ["approval_id": "a-2"], seq: 3)
            _ = try await pushed(3, bench)
            try await report(bench, "e4", "run_cancelled", seq: 4)
            let end = content(try await pushed(4, bench)[3])
            #expect(end?["state"] == "cancelled" && end?["approval"] == nil)
        }
    }

    @Test("An approval that expires leaves the card, which says so")
    func expired() async throws {
        let bench = try RunsBench()
        try await bench.running {
            try await register(bench)
            let expiry = bench.clock.seconds + 60
            try await report(
                bench, "e1", "approval_requested", ["approval_id": "a-1", "expires_at": .integer(expiry)])
            #expect(content(try await pushed(1, bench)[0])?["approval"]?["expires_at"] == .integer(expiry))
            try await eventually("the card says so", advancing: bench.clock, by: .seconds(1)) {
                bench.transport.sent.count { $0.message.lane.transport == .liveActivity } == 2
            }
            #expect(bench.clock.seconds >= expiry)
            let expired = content(try await pushed(2, bench)[1])
            #expect(expired?["text"] == "Expired" && expired?["state"] == "running" && expired?["approval"] == nil)
            let decided = try await bench.call(.post, "/api/approvals/a-1", ["decision": "approve"])
            #expect(decided.status == .gone)
            let approval = try #require(try await bench.documents(in: "runApprovals").first)
            #expect(approval["isExpired"]?.boolean == true && approval["dueAt"] == nil)
        }
    }

    @Test("A question whose approval is resolved before its request is committed leaves the card")
    func resolvedInBetween() async throws {
        let bench = try RunsBench()
        let isFirst = Mutex(true)
        try await register(bench)
        try await report(bench, "e1", "run_started")
        bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.contains(where: { $0.path.description.hasPrefix("runApprovals/") }) else { return }
                let isDue = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if isDue { try? await report(bench, "e3", "approval_resolved", ["approval_id": "a-1"], seq: 3) }
            }
        }
        try await report(bench, "e2", "approval_requested", ["approval_id": "a-1"], seq: 2)
        let card = try #require(try await bench.documents(in: "liveActivityCards").first)
        #expect(card["state"]?.string == "running" && card["approvals"]?.array?.isEmpty == true)
    }

    @Test("A decision and the card's change are one commit")
    func decidedAtOnce() async throws {
        let bench = try RunsBench()
        try await register(bench)
        try await report(bench, "e1", "approval_requested", ["approval_id": "a-1"])
        #expect(try await bench.call(.post, "/api/approvals/a-1", ["decision": "deny"]).status == .ok)
        let approval = try #require(try await bench.documents(in: "runApprovals").first)
        let card = try #require(try await bench.documents(in: "liveActivityCards").first)
        #expect(approval["decision"]?.string == "denied" && card["text"]?.string == "Denied")
        #expect(approval.updateTime == card.updateTime)
    }

    @Test("A request for an approval reads the devices once, also if it starts a card")
    func devicesOnce() async throws {
        let bench = try RunsBench()
        try await register(bench)
        let reads = Tally()
        let devices = try CollectionPath("runDevices")
        bench.store.set { hooks in
            hooks.beforeQuery = { query in if query.scope == .collection(devices) { reads.add() } }
        }
        try await report(bench, "e1", "approval_requested", ["approval_id": "a-1"])
        #expect(reads.count == 1)
        let cards = try await bench.documents(in: "liveActivityCards")
        #expect(cards.count == 1)
    }

    @Test("Progress that comes in another order, or after an end without a position, shows nothing")
    func order() async throws {
        let bench = try RunsBench()
        try await bench.running {
            try await register(bench)
            try await report(bench, "e1", "run_progress", ["text": "Building"], seq: 2)
            try await report(bench, "e2", "run_progress", ["text": "Reading"], seq: 1)
            let card = try #require(try await bench.documents(in: "liveActivityCards").first)
            #expect(card["text"]?.string == "Building")
            for (id, type) in [("e3", "run_completed"), ("e4", "run_progress")] {
                let answer = try await bench.call(
                    .post, "/api/events", ["id": .string(id), "run_id": "run-2", "type": .string(type)])
                #expect(answer.status == .accepted)
            }
            #expect(try await bench.documents(in: "liveActivityCards").count == 1)
        }
    }

    @Test("An event that is repeated changes no card, and one of a run whose end came first starts none")
    func repeated() async throws {
        let bench = try RunsBench()
        try await bench.running {
            try await register(bench)
            try await report(bench, "e1", "run_started")
            _ = try await pushed(1, bench)
            for _ in 0..<2 { try await report(bench, "e2", "run_progress", ["text": "Building"]) }
            _ = try await pushed(2, bench)
            try await bench.untilStored()
            #expect(try await pushed(2, bench).count == 2)
        }
        let other = try RunsBench()
        try await other.running {
            try await report(other, "e2", "run_completed", seq: 2)
            try await register(other)
            try await report(other, "e1", "run_started", seq: 1)
            #expect(try await other.documents(in: "liveActivityCards").isEmpty)
        }
    }

    @Test("A device without Live Activities gets the notifications as before, and no card is stored")
    func oldClient() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            for (index, type) in ["run_started", "run_progress", "approval_requested", "run_completed"].enumerated() {
                try await report(bench, "e\(index)", type, ["approval_id": "a-1"], seq: Int64(index))
            }
            let sent = await bench.sent(2)
            #expect(sent.map { $0.message.message.notification?.title } == ["Approval needed", "Run completed"])
            #expect(try await bench.documents(in: "liveActivityCards").isEmpty)
        }
    }
}
