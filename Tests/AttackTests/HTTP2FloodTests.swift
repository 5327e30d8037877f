import TestDoubles
import TestSupport
import Testing

@Suite("Floods of HTTP/2 frames", .serialized, .timeLimit(.minutes(10)))
struct HTTP2FloodTests {
    @Test(
        "A flood of frames from a client that does not read ends its connection, and uses little memory",
        .enabled(if: isLinux),
        arguments: GatewayPort.overTLS)
    func floods(port: GatewayPort) async throws {
        try await withGatewayUnderAttack { gateway in
            for flood in HTTP2Flood.all {
                let growth = try await gateway.growth {
                    let connection = try await port.open(gateway.serving, protocols: ["h2"])
                    try await connection.stopReading()
                    try await connection.send(HTTP2Frames.preface + flood.beginning)
                    await connection.flood(flood.piece, count: 1_024, within: .seconds(30))
                    #expect(await connection.isClosed(within: .seconds(30)), "after a flood of \(flood.name)")
                    try? await connection.close()
                }
                #expect(growth < 32, "MiB, after a flood of \(flood.name)")
            }
            // A flood of GOAWAY ends the connection without a log line.
            try await eventually("the log has a line for each other flood") {
                gateway.serving.child.errorText.split(separator: "closing an HTTP/2 connection").count
                    >= HTTP2Flood.all.count
            }
        }
    }
}
