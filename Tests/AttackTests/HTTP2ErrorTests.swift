import TestSupport
import Testing

@Suite("HTTP/2 connection after a connection error", .serialized, .timeLimit(.minutes(10)))
struct HTTP2ErrorTests {
    /// RFC 9113 §6.1: a DATA frame belongs to a stream.
    private static let dataOnNoStream = HTTP2Frames.preface + HTTP2Frames.frame(.data, [0x61])
    private static let junk = [UInt8](repeating: 0, count: 64 << 10)

    @Test(
        "A connection error is answered with GOAWAY and closed, even if the client keeps sending",
        arguments: GatewayPort.overTLS)
    func closing(port: GatewayPort) async throws {
        try await withGatewayUnderAttack { gateway in
            let connection = try await port.open(gateway.serving, protocols: ["h2"])
            try await connection.send(Self.dataOnNoStream)
            #expect(try await connection.receive { HTTP2Frames.takeGoAwayCode(from: &$0) } == 1)
            for _ in 0..<300 where connection.isOpen {
                try? await connection.send([0])
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(!connection.isOpen)
        }
    }

    @Test(
        "A connection error followed by 128 MiB of data uses little memory",
        .enabled(if: isLinux), arguments: GatewayPort.overTLS)
    func memory(port: GatewayPort) async throws {
        try await withGatewayUnderAttack { gateway in
            let growth = try await gateway.growth {
                let connection = try await port.open(gateway.serving, protocols: ["h2"])
                try await connection.send(Self.dataOnNoStream)
                await connection.flood(Self.junk, count: 2_048, within: .seconds(60))
            }
            #expect(growth < 32, "\(growth) MiB")
        }
    }
}
