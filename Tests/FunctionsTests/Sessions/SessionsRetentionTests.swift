import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Sessions: retention", .timeLimit(.minutes(10)))
struct SessionsRetentionTests {
    private struct Kept: Equatable {
        var notifications: Int
        var events: Int
        var sessions: Int
        var devices: Int
    }

    private func kept(_ bench: SessionsBench) async throws -> Kept {
        try await bench.clean()
        return Kept(
            notifications: try await bench.documents(in: "sessionNotifications").count,
            events: try await bench.disk.documents.documents(matching: .collectionGroup("sessionEvents")).count,
            sessions: try await bench.documents(in: "codingSessions").count,
            devices: try await bench.documents(in: "sessionDevices").count)
    }

    @Test("Notifications are kept for a day, events and sessions for a week and machines for 30 days")
    func standard() async throws {
        let bench = try SessionsBench()
        let day = Duration.seconds(24 * 60 * 60)
        _ = try await bench.report("Stop")
        var expected = Kept(notifications: 1, events: 1, sessions: 1, devices: 1)
        bench.clock.advance(by: day)
        #expect(try await kept(bench) == expected)
        bench.clock.advance(by: .seconds(1))
        expected.notifications = 0
        #expect(try await kept(bench) == expected)
        bench.clock.advance(by: day * 6)
        expected.events = 0
        expected.sessions = 0
        #expect(try await kept(bench) == expected)
        bench.clock.advance(by: day * 23 - .seconds(1))
        #expect(try await kept(bench) == expected)
        bench.clock.advance(by: .seconds(1))
        expected.devices = 0
        #expect(try await kept(bench) == expected)
    }

    @Test("Retention of sessions and machines counts from their last event")
    func lastSeen() async throws {
        let bench = try SessionsBench()
        _ = try await bench.report("SessionStart")
        for _ in 0..<3 {
            bench.clock.advance(by: .seconds(6 * 24 * 60 * 60))
            _ = try await bench.report("UserPromptSubmit")
            #expect(try await kept(bench).sessions == 1)
        }
        #expect(try await kept(bench) == Kept(notifications: 0, events: 2, sessions: 1, devices: 1))
        #expect(try await bench.list("sessions/session-1/events").count == 2)
    }

    @Test("Retention follows the configuration, sessions go with their events, and phones stay")
    func configured() async throws {
        let bench = try SessionsBench {
            $0.notificationRetention = .seconds(40)
            $0.eventRetention = .seconds(30)
        }
        _ = try await bench.register()
        _ = try await bench.report("Stop")
        var expected = Kept(notifications: 1, events: 1, sessions: 1, devices: 1)
        bench.clock.advance(by: .seconds(30))
        #expect(try await kept(bench) == expected)
        bench.clock.advance(by: .microseconds(10))
        expected.events = 0
        expected.sessions = 0
        #expect(try await kept(bench) == expected)
        bench.clock.advance(by: .seconds(10) - .microseconds(10))
        #expect(try await kept(bench) == expected)
        bench.clock.advance(by: .microseconds(10))
        expected.notifications = 0
        #expect(try await kept(bench) == expected)
        #expect(try await bench.documents(in: "sessionPhones").count == 1)
    }

    @Test("The clean-up of sessions removes everything old, in any number")
    func batches() async throws {
        let bench = try SessionsBench()
        for number in 0..<1_101 { _ = try await bench.report("PermissionRequest", session: "session-\(number % 3)") }
        bench.clock.advance(by: .seconds(8 * 24 * 60 * 60))
        #expect(try await kept(bench) == Kept(notifications: 0, events: 0, sessions: 0, devices: 1))
    }
}
