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
        // In a debug build 10,000 handshakes take a minute, and several on a busy machine.
        try await ServingProcess.runningWithAllPorts(["http.idleTimeout": "1h"]) { serving in
            let connections = try await concurrently(Array(0..<Self.count), limit: 50) { _ in
                try await port.open(serving)
            }
            try await use(connections)
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
            try await use(connections)
            #expect(!serving.child.errorText.contains("closing idle connections"))
            for connection in connections { try await connection.close() }
        }
    }

    private func use(_ connections: [TLSConnection]) async throws {
        let statuses = try await concurrently(connections, limit: 50) { connection in
            try await connection.exchange(TLSConnection.healthRequest).status
        }
        #expect(statuses.allSatisfy { $0 == 200 })
    }
}
