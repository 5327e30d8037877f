import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import Synchronization
import TestDoubles
import Testing

@Suite("Sessions: cool-down", .timeLimit(.minutes(10)))
struct CoolDownTests {
    private static let idle: JSONObject = ["notification_type": "idle_prompt"]
    private static let permission: JSONObject = ["notification_type": "permission_prompt"]

    private func kinds(_ bench: SessionsBench) async throws -> [String?] {
        try await bench.notifications().map { $0["notification_type"]?.string }
    }

    @Test("The cool-down applies to one session and one type and ends after 30 seconds")
    func perType() async throws {
        let bench = try SessionsBench()
        for _ in 0..<3 {
            _ = try await bench.report("Stop")
            _ = try await bench.report("Notification", Self.idle)
        }
        #expect(try await kinds(bench) == ["stop", "idle_prompt"])
        _ = try await bench.report("Stop", session: "session-2")
        #expect(try await kinds(bench) == ["stop", "idle_prompt", "stop"])
        bench.clock.advance(by: .milliseconds(29_999))
        _ = try await bench.report("Stop")
        #expect(try await kinds(bench).count == 3)
        bench.clock.advance(by: .milliseconds(1))
        _ = try await bench.report("Stop")
        _ = try await bench.report("Stop")
        #expect(try await kinds(bench).count == 4)
        let events = try await bench.list("sessions/session-1/events")
        #expect(events.count == 9)
    }

    @Test("The cool-down does not apply to permission prompts")
    func permissions() async throws {
        let bench = try SessionsBench()
        for _ in 0..<3 {
            _ = try await bench.report("Notification", Self.permission)
            _ = try await bench.report("PermissionRequest")
        }
        #expect(try await kinds(bench) == Array(repeating: "permission_prompt", count: 6))
    }

    @Test("A suppressed event does not extend the cool-down")
    func notExtended() async throws {
        let bench = try SessionsBench()
        for _ in 0...6 {
            _ = try await bench.report("Stop")
            bench.clock.advance(by: .seconds(10))
        }
        #expect(try await kinds(bench).count == 3)
    }

    @Test("The cool-down has the configured length, and 0 disables it", arguments: [0, 5])
    func configured(seconds: Int) async throws {
        let bench = try SessionsBench { $0.coolDown = .seconds(seconds) }
        _ = try await bench.report("Stop")
        _ = try await bench.report("Stop")
        #expect(try await kinds(bench).count == (seconds == 0 ? 2 : 1))
        bench.clock.advance(by: .seconds(5))
        _ = try await bench.report("Stop")
        #expect(try await kinds(bench).count == (seconds == 0 ? 3 : 2))
    }

    @Test("The cool-down survives a restart")
    func restart() async throws {
        let first = try SessionsBench()
        _ = try await first.report("Stop")
        first.clock.advance(by: .seconds(29))
        let second = try SessionsBench(on: first.disk, clock: first.clock)
        _ = try await second.report("Stop")
        #expect(try await kinds(second).count == 1)
        second.clock.advance(by: .seconds(1))
        _ = try await second.report("Stop")
        #expect(try await kinds(second).count == 2)
    }

    @Test("A cool-down ends early if the clock is set back")
    func clockSetBack() async throws {
        let bench = try SessionsBench()
        bench.clock.advance(by: .seconds(3_600))
        _ = try await bench.report("Stop")
        bench.clock.advance(by: .seconds(-3_000))
        _ = try await bench.report("Stop")
        _ = try await bench.report("Stop")
        #expect(try await kinds(bench).count == 2)
    }

    @Test("The cool-down applies to an event that waited for another event of its session")
    func waiting() async throws {
        let bench = try SessionsBench()
        let isFirst = Mutex(true)
        bench.store.set {
            $0.beforeRead = { _ in
                guard
                    isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    })
                else { return }
                bench.clock.advance(by: .seconds(1))
                _ = try? await bench.report("Stop")
            }
        }
        _ = try await bench.report("Stop")
        #expect(try await kinds(bench) == ["stop"])
        #expect(try await bench.list("sessions/session-1/events").count == 2)
    }

    @Test("An event that conflicts with others of its session 100 times is refused with 503")
    func bound() async throws {
        let bench = try SessionsBench()
        let tries = Mutex(0)
        bench.store.set {
            $0.beforeCommit = { _ throws(StoreError) in
                tries.withLock { $0 += 1 }
                throw StoreError(.failedPrecondition, "somebody else has written")
            }
        }
        let answer = try await bench.report("Stop")
        #expect(answer.status == .serviceUnavailable && answer.headerFields[.retryAfter] == "5")
        #expect(answer.body["error"] == "unavailable" && tries.withLock(\.self) == 100)
        bench.store.set { $0 = ObservedStore.Hooks() }
        #expect(try await bench.documents(in: "codingSessions").isEmpty)
        #expect(try await bench.report("Stop") == .statusOK)
    }

    @Test("Of concurrent Stop events of a session one notifies, and no event is lost")
    func concurrency() async throws {
        let bench = try SessionsBench()
        try await bench.running {
            _ = try await bench.register()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let answer = try await bench.report("Stop", ["prompt": .string("prompt \(number)")])
                        #expect(answer == .statusOK)
                    }
                    group.addTask { _ = try await bench.report("PermissionRequest") }
                }
                try await group.waitForAll()
            }
            #expect(try await kinds(bench).count { $0 == "stop" } == 1)
            #expect(try await kinds(bench).count { $0 == "permission_prompt" } == 20)
            #expect(try await bench.list("sessions/session-1/events").count == 40)
            // A notification of the session replaces those that still wait.
            let history = DeliveryHistory(store: bench.store)
            try await eventually("all notifications are sent or replaced") {
                let deliveries = try await history.page(limit: 100).records
                return deliveries.count == 21 && deliveries.allSatisfy { $0.accepted + $0.superseded == 1 }
            }
            #expect(!bench.transport.sent.isEmpty)
            let ping = try await bench.call(.get, "/api/v1/ping").body
            #expect(ping["data_version"] == 40 && ping["notification_version"] == 21)
        }
    }
}
