import HTTPTypes
import TestDoubles
import TestSupport
import Testing

/// The gateway is a process of its own, so its descriptor limit is separate from the test's.
@Suite("SDKs that open the maximum of connections", .serialized, .timeLimit(.minutes(10)))
struct ManyConnectionsTests {
    @Test("500 concurrent connections are served by the TLS listener and through the proxy", arguments: [false, true])
    func many(isProxy: Bool) async throws {
        raiseDescriptorLimit()
        let settings = FCMAddresses.settings.merging(["http.requestTimeout": "2m"]) { $1 }
        try await ServingProcess.running(settings) { serving in
            let addresses = try FCMAddresses(serving)
            let port = isProxy ? addresses.proxyPort : addresses.tlsPort
            let connections = try await concurrently(Array(0..<500), limit: 500) { _ in
                try await TLSConnection.open(port: port, isProxy: isProxy, trusting: addresses.caFile)
            }
            let statuses = try await concurrently(connections, limit: 500) { connection in
                try await connection.exchange(TLSConnection.healthRequest).status
            }
            #expect(statuses == Array(repeating: 200, count: 500))
            for connection in connections { try await connection.close() }
        }
    }
}

/// Connections that a proxy keeps open for later requests.
@Suite("Idle connections of one address", .serialized, .timeLimit(.minutes(30)))
struct IdleConnectionsTests {
    private static let count = 10_000

    @Test(
        "10,000 idle and 200 slow connections of one address stay open while others are answered",
        .enabled(if: raiseDescriptorLimit() > count + 500), arguments: [GatewayPort.plain, .https])
    func idle(port: GatewayPort) async throws {
        try await ServingProcess.runningWithAllPorts { serving in
            var pool = KeptConnections()
            while pool.count < Self.count { try await pool.open(100, port, serving) }
            let connections = pool.connections
            let slow = try await concurrently(Array(0..<200), limit: 50) { _ in
                let connection = try await port.open(serving)
                try await connection.send(Array("GET /healthz HTTP/1.1\r\nX: ".utf8))
                return connection
            }
            for other in GatewayPort.allCases {
                for connection in slow { connection.sendInTime([0x61]) }
                let connection = try await other.open(serving)
                #expect(try await connection.exchange(TLSConnection.healthRequest).status == other.healthStatus)
                try await connection.close()
            }
            for connection in slow { try? await connection.close() }
            let areOpen = connections.allSatisfy(\.isOpen)
            #expect(areOpen)
            try await pool.useSome()
            #expect(!serving.child.errorText.contains("closing idle connections"))
            for connection in connections { try await connection.close() }
        }
    }
}

/// Connections of which each is used before the gateway closes it as idle, which it does 75 s after the last request:
/// in a debug build, 10,000 handshakes take a minute, and several on a slow machine.
private struct KeptConnections {
    private static let longestPause = Duration.seconds(30)

    /// The connections with the times of their last requests, the oldest request first.
    private var used: ArraySlice<(connection: TLSConnection, at: ContinuousClock.Instant)> = []

    var count: Int { used.count }
    var connections: [TLSConnection] { used.map(\.connection) }

    /// Opens more connections, and uses those that have waited for long.
    mutating func open(_ count: Int, _ port: GatewayPort, _ serving: ServingProcess) async throws {
        let connections = try await concurrently(Array(0..<count), limit: 50) { _ in try await port.open(serving) }
        try await use(connections)
        try await use(idleFor: Self.longestPause)
    }

    /// Sends a request on each connection without one for this time, those that have waited longest first.
    mutating func use(idleFor pause: Duration) async throws {
        let limit = ContinuousClock.now - pause
        while let first = used.first, first.at < limit {
            let next = used.prefix(100).prefix { $0.at < limit }
            used = used.dropFirst(next.count)
            try await use(next.map(\.connection))
        }
    }

    /// Sends a request on every 20th connection. A request on each would take longer, on a slow machine, than the
    /// gateway keeps the last ones open.
    func useSome() async throws {
        try await request(on: stride(from: used.startIndex, to: used.endIndex, by: 20).map { used[$0].connection })
    }

    private mutating func use(_ connections: [TLSConnection]) async throws {
        try await request(on: connections)
        let now = ContinuousClock.now
        used += connections.map { ($0, now) }
    }

    private func request(on connections: [TLSConnection]) async throws {
        let statuses = try await concurrently(connections, limit: 50) { connection in
            try await connection.exchange(TLSConnection.healthRequest).status
        }
        #expect(statuses.allSatisfy { $0 == 200 })
    }
}
