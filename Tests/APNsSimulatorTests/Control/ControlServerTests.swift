import APNsSimulator
import HTTPClient
import HTTPTypes
import JSON
import Testing

@Suite("Simulator's control API over sockets", .timeLimit(.minutes(10)))
struct ControlServerTests {
    @Test("Received notifications are shown, counted and deleted over the control API")
    func notifications() async throws {
        try await RunningSimulatorFixture.runWithSender { _, sender in
            _ = try await sender.push(to: "ab")
            _ = try await sender.push(to: "cd")
            let shown = try await sender.control(.get, "/notifications?token=cd")
            #expect(shown["count"] == 1)
            #expect(shown["notifications"]?[0]?["token"] == "cd")
            #expect(try await sender.control(.get, "/status")["accepted"] == 2)
            _ = try await sender.control(.delete, "/notifications")
            #expect(try await sender.control(.get, "/notifications")["count"] == 0)
        }
    }

    @Test("A token gets the answers that the control API was given")
    func answers() async throws {
        try await RunningSimulatorFixture.runWithSender { _, sender in
            _ = try await sender.control(.put, "/answers", ["token": "ab", "status": 410, "reason": "Unregistered"])
            #expect(try await sender.push(to: "ab").statusCode == 410)
            #expect(try await sender.push(to: "ab").statusCode == 200)
        }
    }

    @Test("Connections follow the steps that the control API was given")
    func connections() async throws {
        try await RunningSimulatorFixture.runWithSender { _, sender in
            _ = try await sender.control(.put, "/connections", ["goaway": ["after": 1]])
            for _ in 0..<3 { _ = try await sender.push(to: "ab") }
            let status = try await sender.control(.get, "/status")
            #expect(status["goaways_sent"] == 1)
            #expect(status["connections_opened"] == 2)
            #expect(status["accepted"] == 3)
            #expect(try await sender.control(.get, "/connections")["connections"] == [])
        }
    }

    @Test("A wait over the control API is answered as soon as enough notifications arrived")
    func wait() async throws {
        try await RunningSimulatorFixture.runWithSender { _, sender in
            async let waited = sender.control(.get, "/notifications?wait_for=2&token=ab&timeout=30")
            for token in ["ab", "cd", "ab"] { _ = try await sender.push(to: token) }
            let answer = try await waited
            #expect(answer["count"] == 2)
            #expect(answer["timed_out"] == nil)
        }
    }

    @Test("A wait over the control API that times out is answered with what arrived")
    func waitInVain() async throws {
        try await RunningSimulatorFixture.runWithSender { _, sender in
            _ = try await sender.push(to: "ab")
            let answer = try await sender.control(.get, "/notifications?wait_for=2&timeout=0.05")
            #expect(answer["count"] == 1)
            #expect(answer["timed_out"] == true)
        }
    }

    @Test("A control request above 1 MiB is refused, and the connection goes on")
    func tooLarge() async throws {
        try await RunningSimulatorFixture.runWithSender { _, sender in
            let reason = JSONValue.string(String(repeating: "x", count: 1024 * 1024))
            let answer = try await sender.control(.put, "/answers", ["token": "ab", "status": 400, "reason": reason])
            #expect(answer["error"] == "too_large")
            #expect(try await sender.control(.get, "/answers")["answers"] == [])
        }
    }
}
