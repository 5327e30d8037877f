import DocumentStore
import Foundation
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

/// Tests with the app's own strictness: a required field must be present, have its type and not be `null`.
@Suite("Sessions: answers as the app decodes them", .timeLimit(.minutes(10)))
struct SessionsAppTests {
    private struct Ping: Decodable {
        let status: String
        let serverVersion: String
        let dataVersion: Int
        let notificationVersion: Int
    }

    private struct Devices: Decodable {
        let devices: [Device]
    }

    private struct Device: Decodable {
        let deviceId: String
        let deviceName: String
        let platform: String
        let firstSeen: String
        let lastSeen: String
        let activeSessions: Int
    }

    private struct Sessions: Decodable {
        let sessions: [Session]
        let hasMore: Bool
        let nextOffset: Int
    }

    private struct Session: Decodable {
        let sessionId: String
        let deviceId: String
        let startedAt: String
        let lastEvent: String
        let status: String
        let cwd: String?
        let title: String?
        let deviceName: String?
        let platform: String?
    }

    private struct Events: Decodable {
        let events: [Event]
    }

    private struct Event: Decodable {
        let id: Int
        let hookEventName: String
        let timestamp: String
        let toolName: String?
        let notificationType: String?
        let message: String?
    }

    private struct Notifications: Decodable {
        let notifications: [Notification]
    }

    private struct Notification: Decodable {
        let id: String
        let eventId: Int
        let sessionId: String
        let deviceId: String
        let title: String
        let body: String
        let notificationType: String
        let createdAt: String
        let acknowledged: Bool
    }

    private struct Failure: Decodable {
        let error: String
        let message: String
    }

    private func decoded<Model: Decodable>(_ answer: FunctionResponse, as model: Model.Type) throws -> Model {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(model, from: Data(answer.body.serialized))
    }

    private func get<Model: Decodable>(
        _ path: String, of bench: SessionsBench, as model: Model.Type
    ) async throws -> Model {
        try decoded(try await bench.call(.get, "/api/v1/\(path)"), as: model)
    }

    private func date(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    /// Creates one session with all fields and one with only the required fields.
    private func bench() async throws -> SessionsBench {
        let bench = try SessionsBench()
        _ = try await bench.report(
            "UserPromptSubmit", ["prompt": "Fix it", "cwd": "/srv"], session: "full", device: "full")
        bench.clock.advance(by: .seconds(5))
        _ = try await bench.report(
            "PermissionRequest", ["tool_name": "Bash", "message": "rm", "notification_type": "permission_prompt"],
            session: "full", device: "full")
        _ = try await bench.call(
            .post, "/api/v1/events",
            [
                "device": ["device_id": "bare"], "event": ["session_id": "bare", "hook_event_name": "Stop"],
                "timestamp": "2026-01-01T01:00:00.5+01:00",
            ])
        return bench
    }

    @Test("Devices, sessions, events, notifications and the ping decode in the app")
    func lists() async throws {
        let bench = try await bench()
        let start = bench.clock.timestamp.adding(.seconds(-5))
        let devices = try await get("devices", of: bench, as: Devices.self).devices
        let bare = try #require(devices.first { $0.deviceId == "bare" })
        #expect(bare.deviceName == "bare" && bare.platform == "unknown" && bare.activeSessions == 1)
        let full = try #require(devices.first { $0.deviceId == "full" })
        #expect(full.deviceName == "shahads-macbook" && full.platform == "darwin")
        #expect(try date(full.firstSeen) == start && date(full.lastSeen) == bench.clock.timestamp)
        for (path, count, next) in [
            ("sessions", 2, 2), ("devices/full/sessions", 1, 0), ("devices/bare/sessions", 1, 0),
            ("devices/unknown/sessions", 0, 0),
        ] {
            let page = try await get(path, of: bench, as: Sessions.self)
            #expect(!page.hasMore && page.sessions.count == count && page.nextOffset == next, "\(path)")
            for session in page.sessions {
                #expect(try date(session.startedAt) <= date(session.lastEvent))
                #expect((session.deviceName == nil) == (session.deviceId == "bare"))
            }
        }
        let ping = try await get("ping", of: bench, as: Ping.self)
        #expect(ping.dataVersion == 3 && ping.notificationVersion == 2)
    }

    @Test("Event ids grow over all sessions, and a notification has its event's id")
    func eventIDs() async throws {
        let bench = try await bench()
        let full = try await get("sessions/full/events", of: bench, as: Events.self).events
        let bare = try await get("sessions/bare/events", of: bench, as: Events.self).events
        let ids = full.reversed().map(\.id) + bare.map(\.id)
        #expect(ids.count == 3 && ids == ids.sorted() && Set(ids).count == 3)
        // JavaScript represents these numbers exactly, too.
        #expect(ids.allSatisfy { (1...9_007_199_254_740_991).contains($0) })
        let notifications = try await get("notifications", of: bench, as: Notifications.self).notifications
        #expect(notifications.map(\.eventId) == [full[0].id, bare[0].id])
        #expect(full[0].toolName == "Bash" && full[1].toolName == nil)
    }

    @Test("Each error answer of sessions decodes")
    func errors() async throws {
        let bench = try SessionsBench()
        for (method, path, key) in [
            ("GET", "/api/v1/ping", "wrong"), ("POST", "/api/v1/events", SessionsBench.masterKey),
            ("POST", "/api/v1/events", SessionsBench.readKey), ("GET", "/api/v1/ping/else", SessionsBench.masterKey),
        ] {
            let answer = try await bench.call(
                method == "GET" ? .get : .post, path, text: "{}", headers: SessionsBench.authorization(key))
            #expect(try !decoded(answer, as: Failure.self).message.isEmpty)
        }
    }
}
