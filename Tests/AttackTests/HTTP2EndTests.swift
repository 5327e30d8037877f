import TestSupport
import Testing

@Suite("HTTP/2 connection that its client closes", .serialized, .timeLimit(.minutes(10)))
struct HTTP2EndTests {
    @Test(
        "A connection closed by close_notify or by FIN alone is closed by the gateway too",
        arguments: GatewayPort.overTLS, [true, false])
    func idle(port: GatewayPort, isPolite: Bool) async throws {
        try await withGatewayUnderAttack { gateway in
            let connection = try await port.open(gateway.serving, protocols: ["h2"])
            try await connection.send(
                HTTP2Frames.preface + HTTP2Frames.request("GET", "/healthz", on: 1, isWhole: true))
            #expect(try await connection.receive { HTTP2Frames.takeStatus(of: 1, from: &$0) } == 200)
            try await isPolite ? connection.closeOutput() : connection.closeSocketOutput()
            #expect(await connection.isClosed(within: .patience))
        }
    }

    @Test("Requests sent before the client closed its side are answered", arguments: GatewayPort.overTLS)
    func pending(port: GatewayPort) async throws {
        try await withGatewayUnderAttack { gateway in
            let connection = try await port.open(gateway.serving, protocols: ["h2"])
            let streams = (0..<20).map { UInt32(2 * $0 + 1) }
            try await connection.send(
                HTTP2Frames.preface
                    + streams.flatMap { HTTP2Frames.request("GET", "/healthz", on: $0, isWhole: true) })
            try await connection.closeOutput()
            for _ in streams { try await connection.receive { HTTP2Frames.takeEnd(from: &$0) } }
            #expect(await connection.isClosed(within: .patience))
        }
    }

    @Test("300 closed connections give their descriptors back", .enabled(if: isLinux), arguments: GatewayPort.overTLS)
    func descriptors(port: GatewayPort) async throws {
        try await withGatewayUnderAttack(["http.requestTimeout": "1m"]) { gateway in
            let before = try gateway.descriptors()
            _ = try await concurrently(Array(0..<300), limit: 20) { _ in
                let connection = try await port.open(gateway.serving, protocols: ["h2"])
                try await connection.send(
                    HTTP2Frames.preface + HTTP2Frames.request("GET", "/healthz", on: 1, isWhole: true))
                try await connection.receive { HTTP2Frames.takeEnd(from: &$0) }
                try await connection.closeOutput()
            }
            #expect(try await gateway.givesBackDescriptors(to: before))
        }
    }
}
