import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import Synchronization
import TestDoubles
import Testing

@Suite("Runs: escalation", .timeLimit(.minutes(10)))
struct EscalationTests {
    /// The visible part of a notification.
    private struct Shown: Equatable {
        let title: String?
        let badge: JSONValue?
    }

    private static func shown(_ sent: [ScriptedTransport.Sent]) -> [Shown] {
        sent.map { Shown(title: $0.message.message.notification?.title, badge: $0.message.message.badge) }
    }

    private func sleepUntil(_ count: Int, _ bench: RunsBench, by step: Duration = .seconds(10)) async throws {
        try await eventually("\(count) notifications are sent", advancing: bench.clock, by: step) {
            bench.transport.sent.count >= count
        }
    }

    private func dueAt(_ bench: RunsBench) async throws -> Timestamp? {
        try await bench.documents(in: "runApprovals").first?["dueAt"]?.timestamp
    }

    private func pending(_ bench: RunsBench) async throws -> Int64 {
        try await bench.documents(in: "runState").first?["pending"]?.integer ?? 0
    }

    @Test("An undecided approval is notified three times, at 0, 15 and 60 minutes, and never again")
    func threeTimes() async throws {
        let bench = try RunsBench()
        let start = bench.clock.timestamp
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.requestApproval()
            try await sleepUntil(1, bench, by: .zero)
            #expect(try await dueAt(bench) == start.adding(.seconds(900)))
            try await sleepUntil(2, bench)
            #expect(bench.clock.timestamp >= start.adding(.seconds(900)))
            #expect(try await dueAt(bench) == start.adding(.seconds(3_600)))
            try await sleepUntil(3, bench)
            #expect(bench.clock.timestamp >= start.adding(.seconds(3_600)))
            let approval = try await bench.documents(in: "runApprovals").first
            // The next step is the expiry.
            #expect(approval?["sent"]?.integer == 3)
            #expect(approval?["dueAt"]?.timestamp == start.adding(.seconds(86_400)))
            #expect(
                Self.shown(bench.transport.sent) == [
                    Shown(title: "Approval needed", badge: 1), Shown(title: "Still waiting", badge: 1),
                    Shown(title: "Reminder", badge: 1),
                ])
        }
    }

    @Test("A resolved approval lowers the badge silently and stops its reminders")
    func resolution() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.requestApproval("one", event: "1")
            // The badge is that of the moment of sending.
            try await sleepUntil(1, bench, by: .zero)
            _ = try await bench.requestApproval("two", event: "2")
            try await sleepUntil(2, bench, by: .zero)
            _ = try await bench.resolveApproval("one", event: "3")
            try await sleepUntil(3, bench, by: .zero)
            let silent = try #require(bench.transport.sent.last?.message.message)
            #expect(silent.notification == nil && silent.apns?.payload["aps"] == ["badge": 1])
            // Only the second approval has a reminder.
            try await sleepUntil(4, bench)
            #expect(bench.transport.sent.last?.message.message.data["approval_id"] == "two")
            #expect(Self.shown(bench.transport.sent).map(\.badge) == [1, 2, 1, 1])
        }
    }

    @Test("An approval resolved before its request, or resolved twice, causes no notification")
    func order() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            for number in 1...2 {
                let answer = try await bench.resolveApproval(event: "resolved-\(number)")
                #expect(answer.status == .accepted)
            }
            _ = try await bench.requestApproval(event: "requested")
            _ = try await bench.report("done", "run_completed")
            try await sleepUntil(1, bench, by: .zero)
            #expect(Self.shown(bench.transport.sent) == [Shown(title: "Run completed", badge: nil)])
            #expect(try await pending(bench) == 0)
        }
    }

    @Test("An approval requested by two events is notified once")
    func requestedTwice() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.requestApproval(event: "1")
            _ = try await bench.requestApproval(event: "2")
            // The end of the run would take back a notification that still waits.
            try await sleepUntil(1, bench, by: .zero)
            _ = try await bench.report("3", "run_completed")
            try await sleepUntil(2, bench, by: .zero)
            #expect(Self.shown(bench.transport.sent).map(\.title) == ["Approval needed", "Run completed"])
        }
    }

    @Test("Concurrent approvals each count in the badge")
    func concurrency() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...20 {
                    group.addTask { _ = try await bench.requestApproval("a\(number)", event: "e\(number)") }
                }
                try await group.waitForAll()
            }
            try await sleepUntil(20, bench, by: .zero)
            let badges = bench.transport.sent.compactMap { $0.message.message.badge?.integer }
            // Each counts the approvals until it is sent, itself included.
            #expect(badges.count == 20 && badges.max() == 20)
            #expect(zip(badges.sorted(), 1...20).allSatisfy { $0 >= $1 })
        }
    }

    @Test("An approval resolved concurrently lowers the badge once")
    func resolvedByMany() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.requestApproval("one", event: "1")
            _ = try await bench.requestApproval("two", event: "2")
            try await sleepUntil(2, bench, by: .zero)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...10 {
                    group.addTask { _ = try await bench.resolveApproval("one", event: "resolved-\(number)") }
                }
                try await group.waitForAll()
            }
            #expect(try await pending(bench) == 1)
            let events = try await bench.documents(in: "runEvents")
            #expect(events.count == 12)
        }
    }

    @Test("A restart neither repeats nor skips a reminder, however long it takes")
    func restart() async throws {
        let first = try RunsBench()
        try await first.running {
            _ = try await first.register()
            _ = try await first.requestApproval()
            try await sleepUntil(2, first)
            try await first.untilStored()
        }
        first.clock.advance(by: .seconds(2 * 60 * 60))
        let second = try RunsBench(on: first.disk, clock: first.clock)
        try await second.running {
            try await sleepUntil(1, second, by: .zero)
            _ = try await second.report("done", "run_completed")
            try await sleepUntil(2, second, by: .zero)
        }
        #expect(Self.shown(first.transport.sent).map(\.title) == ["Approval needed", "Still waiting"])
        #expect(Self.shown(second.transport.sent).map(\.title) == ["Reminder", "Run completed"])
    }

    @Test("A reminder whose commit fails is sent later")
    func storeFailure() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.requestApproval()
            try await sleepUntil(1, bench, by: .zero)
            let failures = Mutex(2)
            bench.store.set {
                $0.beforeCommit = { writes throws(StoreError) in
                    guard writes.contains(where: { $0.path.description.hasPrefix("runApprovals/") }) else { return }
                    let fails = failures.withLock { count in
                        count -= 1
                        return count >= 0
                    }
                    if fails { throw .diskFull }
                }
            }
            try await sleepUntil(2, bench)
            #expect(bench.transport.sent.last?.message.message.notification?.title == "Still waiting")
            #expect(bench.log.lines.contains { $0.contains("failed to run a scheduled job") })
        }
    }
}

extension Message {
    fileprivate var badge: JSONValue? { apns?.payload["aps"]?["badge"] }
}
