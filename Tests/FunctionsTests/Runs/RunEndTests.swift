import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Runs: end of a run", .timeLimit(.minutes(10)))
struct RunEndTests {
    private struct Shown: Equatable {
        let title: String?
        let body: String?
        let badge: JSONValue?
    }

    private static func shown(_ sent: ScriptedTransport.Sent) -> Shown {
        let message = sent.message.message
        return Shown(
            title: message.notification?.title, body: message.notification?.body,
            badge: message.apns?.payload["aps"]?["badge"])
    }

    private func report(
        _ bench: RunsBench, _ id: String, _ type: String, _ data: JSONObject = [:], run: String = "run-1",
        seq: JSONValue = .null
    ) async throws {
        let answer = try await bench.call(
            .post, "/api/events",
            [
                "id": .string(id), "run_id": .string(run), "seq": seq, "type": .string(type), "data": .object(data),
            ])
        #expect(answer == .json(.accepted, ["status": "accepted"]))
    }

    private func pending(_ bench: RunsBench) async throws -> Int64? {
        try await bench.documents(in: "runState").first?["pending"]?.integer
    }

    @Test(
        "The end of a run ends its approvals, lowers the badge and leaves other runs' approvals",
        arguments: [
            ("run_cancelled", [:], nil, nil), ("run_completed", [:], "Run completed", nil),
            ("run_failed", ["error": "exit 1"], "Run failed", "exit 1"),
        ] as [(String, JSONObject, String?, String?)])
    func ends(type: String, data: JSONObject, title: String?, body: String?) async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            for number in 1...2 {
                try await report(bench, "e\(number)", "approval_requested", ["approval_id": .string("a\(number)")])
            }
            try await report(bench, "e3", "approval_requested", ["approval_id": "a3"], run: "run-2")
            // The end of a run takes back what still waits.
            _ = await bench.sent(3)
            try await report(bench, "e4", type, data)
            let sent = await bench.sent(4)
            #expect(sent.last.map(Self.shown) == Shown(title: title, body: body, badge: 1))
            #expect(try await pending(bench) == 1)
            // Only the other run has reminders.
            try await eventually("two reminders are sent", advancing: bench.clock, by: .seconds(10)) {
                bench.transport.sent.count >= 6
            }
            #expect(
                bench.transport.sent.dropFirst(4).map(Self.shown) == [
                    Shown(title: "Still waiting", body: nil, badge: 1), Shown(title: "Reminder", body: nil, badge: 1),
                ])
            let ids = bench.transport.sent.dropFirst(4).map { $0.message.message.data["approval_id"] }
            #expect(ids == ["a3", "a3"])
        }
    }

    @Test("A cancelled run without approvals causes no notification, and a completed one keeps the badge")
    func nothingPending() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            try await report(bench, "e1", "approval_requested", ["approval_id": "a1"], run: "run-2")
            try await report(bench, "e2", "run_cancelled")
            try await report(bench, "e3", "run_completed")
            let sent = await bench.sent(2)
            #expect(sent.map(Self.shown).map(\.title) == ["Approval needed", "Run completed"])
            #expect(sent.map(Self.shown).map(\.badge) == [1, nil])
            #expect(try await pending(bench) == 1)
        }
    }

    @Test("An approval resolved or requested again after its run's end causes no notification")
    func afterTheEnd() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            try await report(bench, "e1", "approval_requested", ["approval_id": "a1"])
            _ = await bench.sent(1)
            try await report(bench, "e2", "run_cancelled")
            try await report(bench, "e3", "approval_resolved", ["approval_id": "a1"])
            try await report(bench, "e4", "approval_requested", ["approval_id": "a1"])
            try await report(bench, "e2", "run_cancelled")
            #expect(try await pending(bench) == 0)
            try await report(bench, "e5", "run_completed")
            let titles = await bench.sent(3).map(Self.shown).map(\.title)
            #expect(titles == ["Approval needed", nil, "Run completed"])
        }
    }

    @Test("An approval from before its run's end is not notified, and a later one is")
    func overtaken() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            try await report(bench, "e1", "run_cancelled", seq: 5)
            try await report(bench, "e2", "approval_requested", ["approval_id": "late"], seq: 4)
            try await report(bench, "e3", "approval_requested", ["approval_id": "new"], seq: 6)
            try await report(bench, "e4", "approval_requested", ["approval_id": "unknown"])
            let ids = await bench.sent(2).map { $0.message.message.data["approval_id"] }
            #expect(ids == ["new", "unknown"])
            #expect(try await pending(bench) == 2)
        }
    }

    @Test("The end of a run concurrent with requests leaves no earlier approval pending")
    func concurrency() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...10 {
                    group.addTask {
                        try await report(
                            bench, "e\(number)", "approval_requested", ["approval_id": .string("a\(number)")], seq: 1)
                    }
                }
                group.addTask { try await report(bench, "end", "run_cancelled", seq: 2) }
                try await group.waitForAll()
            }
            #expect(try await pending(bench) ?? 0 == 0)
            let approvals = try await bench.documents(in: "runApprovals")
            #expect(approvals.allSatisfy { $0["resolvedAt"] != nil && $0["dueAt"] == nil })
        }
    }

    @Test("Missing texts of an event come from earlier events of its run, also after a restart")
    func texts() async throws {
        let first = try RunsBench()
        try await report(first, "e1", "run_started", ["repo_name": "repo", "server_id": "server"])
        try await report(first, "e2", "prompt", ["prompt_preview": "Fix it"])
        try await report(first, "e3", "run_started", ["repo_name": "other", "prompt_preview": "Other"], run: "run-2")
        let bench = try RunsBench(on: first.disk, clock: first.clock)
        try await bench.running {
            _ = try await bench.register()
            try await report(bench, "e4", "approval_requested", ["approval_id": "a1"])
            try await report(bench, "e5", "approval_requested", ["approval_id": "a2", "prompt_preview": "Now this"])
            _ = await bench.sent(2)
            try await report(bench, "e6", "run_failed", ["error": "exit 1"])
            _ = await bench.sent(3)
            try await report(bench, "e7", "run_completed", ["repo_name": " "])
            try await report(bench, "e8", "run_completed", run: "run-3")
            let sent = await bench.sent(5)
            #expect(
                sent.map(Self.shown).map(\.body)
                    == ["repo: Fix it", "repo: Now this", "repo: exit 1", "repo: Now this", nil])
            let servers = sent.map { $0.message.message.data["server_id"] }
            #expect(servers == ["server", "server", "server", "server", nil])
        }
    }

    @Test("A reminder has the texts of its approval request")
    func reminderTexts() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            try await report(bench, "e1", "run_started", ["repo_name": "repo", "prompt_preview": "Fix it"])
            try await report(bench, "e2", "approval_requested", ["approval_id": "a1"])
            try await eventually("a reminder is sent", advancing: bench.clock, by: .seconds(10)) {
                bench.transport.sent.count >= 2
            }
            let bodies = bench.transport.sent.prefix(2).map(Self.shown).map(\.body)
            #expect(bodies == ["repo: Fix it", "repo: Fix it"])
        }
    }

    @Test("A run without events for 30 days is removed")
    func forgotten() async throws {
        let bench = try RunsBench()
        try await report(bench, "e1", "run_started", ["repo_name": "repo"])
        bench.clock.advance(by: .seconds(20 * 24 * 60 * 60))
        try await report(bench, "e2", "run_started", ["repo_name": "young"], run: "run-2")
        bench.clock.advance(by: .seconds(11 * 24 * 60 * 60))
        for job in bench.system.jobs { try await job.run() }
        #expect(try await bench.documents(in: "runs").map { $0["repoName"]?.string } == ["young"])
    }
}
