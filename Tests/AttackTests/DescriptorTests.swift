import HTTPTypes
import TestDoubles
import TestSupport
import Testing

@Suite("Gateway with few descriptors", .serialized, .timeLimit(.minutes(10)))
struct DescriptorTests {
    @Test(
        "A client that opens connections endlessly does not keep others from answers, and the log says so",
        arguments: GatewayPort.kinds)
    func flood(port: GatewayPort) async throws {
        raiseDescriptorLimit()
        try await ServingProcess.runningWithAllPorts(descriptors: "-n 256") { serving in
            let connections = try await concurrently(Array(0..<500), limit: 20) { _ in
                try? await port.open(serving)
            }
            for other in GatewayPort.allCases {
                let connection = try await other.open(serving)
                #expect(try await connection.exchange(TLSConnection.healthRequest).status == other.healthStatus)
                try await connection.close()
            }
            #expect(serving.child.errorText.contains("closing idle connections"))
            let metrics = try await serving.caller.send(.get, "/metrics").text
            #expect(metrics.contains("pushgate_connections_closed_total{reason=\"descriptors\"}"))
            for connection in connections { try? await connection?.close() }
            #expect(await eventually { (try? await Self.open(serving)) ?? .max < 10 })
        }
    }

    private static func open(_ serving: ServingProcess) async throws -> Int {
        let line = try await serving.caller.send(.get, "/metrics").text.split(separator: "\n")
            .first { $0.hasPrefix("pushgate_connections_open ") }
        return line?.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) } ?? .max
    }

    @Test("The gateway raises its own descriptor limit, and logs it")
    func raised() async throws {
        try await ServingProcess.running(descriptors: "-S -n 300") { serving in
            let line = serving.child.errorText.split(separator: "\n")
                .first { $0.contains("raised the limit of file descriptors") }
            #expect(line?.contains("before=300") == true)
        }
    }
}
