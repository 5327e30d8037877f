import TestSupport
import Testing

/// Measures the values to compare those of the attacks with.
@Suite("Gateway without an attack", .serialized, .timeLimit(.minutes(10)))
struct UnattackedGatewayTests {
    @Test(
        "A gateway without an attack answers at each listener within milliseconds, and uses little memory",
        .enabled(if: isLinux))
    func baseline() async throws {
        try await withGatewayUnderAttack { gateway in
            let growth = try await gateway.growth {
                let latencies = try await gateway.latencies { try await askEverywhere(gateway.serving) }
                #expect(!isAtFullSpeed || latencies[latencies.count / 2] < .milliseconds(100))
            }
            #expect(!isAtFullSpeed || growth < 32)
            #expect(try !isAtFullSpeed || gateway.residentMebibytes() < 128)
        }
    }

    private func askEverywhere(_ serving: ServingProcess) async throws {
        for port in GatewayPort.overTLS {
            let connection = try await port.open(serving, protocols: ["h2"])
            try await connection.send(
                HTTP2Frames.preface + HTTP2Frames.request("GET", "/healthz", on: 1, isWhole: true))
            #expect(try await connection.receive { HTTP2Frames.takeStatus(of: 1, from: &$0) } == 200)
            try await connection.close()
        }
    }
}
