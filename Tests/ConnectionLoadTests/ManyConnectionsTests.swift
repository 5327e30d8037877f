import TestSupport
import Testing

/// The gateway is a process of its own, and its limits are no part of this.
@Suite("SDKs that open as many connections as they may", .serialized, .timeLimit(.minutes(2)))
struct ManyConnectionsTests {
    @Test("are served, 500 at once, by the TLS listener and through the proxy", arguments: [false, true])
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
