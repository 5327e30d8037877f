import HTTPTypes
import TestSupport
import Testing

@Suite("Answers that the client does not read", .timeLimit(.minutes(10)))
struct UnreadAnswerTests {
    /// The gateway checks waiting answers every 4 s.
    private static let settings = ["http.requestTimeout": "2s"]
    /// Requests whose answers exceed the buffers of two sockets.
    private static let requests = Array(
        String(repeating: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", count: 60_000).utf8)

    @Test("A client that does not read its answers loses its connection", arguments: GatewayPort.kinds)
    func unread(port: GatewayPort) async throws {
        try await ServingProcess.runningWithAllPorts(Self.settings) { serving in
            let connection = try await port.open(serving)
            try await connection.readOnDemand()
            connection.sendInTime(Self.requests)
            #expect(await connection.isClosed(within: .patience))
            #expect(try await serving.caller.send(.get, "/healthz").status == 200)
            try? await connection.close()
        }
    }

    @Test("A client that reads its answers slowly gets them", arguments: GatewayPort.kinds)
    func slow(port: GatewayPort) async throws {
        try await ServingProcess.runningWithAllPorts(Self.settings) { serving in
            let connection = try await port.open(serving)
            try await connection.readOnDemand()
            connection.sendInTime(Self.requests)
            let start = ContinuousClock.now
            var received = 0
            while connection.isOpen, received < 512 << 10 || ContinuousClock.now < start + .seconds(10) {
                connection.readSome()
                try await Task.sleep(for: .milliseconds(100))
                received = try await connection.receivedBytes()
            }
            #expect(connection.isOpen)
            try await connection.close()
        }
    }

    @Test("A stream whose window is never opened is reset", arguments: GatewayPort.overTLS)
    func window(port: GatewayPort) async throws {
        try await ServingProcess.runningWithAllPorts(Self.settings) { serving in
            let connection = try await port.open(serving, protocols: ["h2"])
            // SETTINGS_INITIAL_WINDOW_SIZE is 0.
            try await connection.send(
                HTTP2Frames.preface + HTTP2Frames.frame(.settings, [0, 4, 0, 0, 0, 0])
                    + HTTP2Frames.request("GET", "/healthz", on: 1, isWhole: true))
            let isReset = try await connection.receive { bytes in
                HTTP2Frames.take(from: &bytes) { $0.type == .resetStream && $0.stream == 1 ? true : nil }
            }
            #expect(isReset)
            try await connection.close()
        }
    }

    @Test(
        "The streams of a connection whose window is never opened are reset", arguments: GatewayPort.overTLS)
    func connectionWindow(port: GatewayPort) async throws {
        try await ServingProcess.runningWithAllPorts(Self.settings) { serving in
            let connection = try await port.open(serving, protocols: ["h2"])
            // SETTINGS_INITIAL_WINDOW_SIZE is 16 MiB, and the connection's window is 65,535 bytes for all answers
            // together.
            let requests = (0..<50).flatMap { HTTP2Frames.request("GET", "/metrics", on: 1 + $0 * 2, isWhole: true) }
            try await connection.send(
                HTTP2Frames.preface + HTTP2Frames.frame(.settings, [0, 4, 1, 0, 0, 0]) + requests)
            // Some streams end in order, and all others are reset.
            var resets = 0
            for _ in 0..<50 {
                let isReset = try await connection.receive { bytes in
                    HTTP2Frames.take(from: &bytes) { frame in
                        if frame.type == .resetStream { return true }
                        return frame.type == .data && frame.flags & HTTP2Frames.endStream != 0 ? false : nil
                    }
                }
                if isReset { resets += 1 }
            }
            #expect((1..<50).contains(resets))
            // The connection itself still works.
            try await connection.send(HTTP2Frames.ping())
            let isAnswered = try await connection.receive { bytes in
                HTTP2Frames.take(from: &bytes) { $0.type == .ping && $0.flags & 1 != 0 ? true : nil }
            }
            #expect(isAnswered)
            try await connection.close()
        }
    }
}
