import TestSupport
import Testing

/// The attacks of CVE-2023-44487 and CVE-2025-8671.
@Suite("Rapid reset attack", .serialized, .timeLimit(.minutes(10)))
struct RapidResetTests {
    /// The bound of the median is 300 ms where the machine does nothing else. Other programs that take a part of the
    /// processors' time slow the clients, the gateway and the measurement down together, so the bound is longer by the
    /// factor that was measured beside the attack, without it. It is a second at most, since without the gateway's
    /// defense the median is seconds.
    @Test(
        "Rapid reset on five connections, reopened when closed, leaves others their answers and uses little memory",
        .enabled(if: isLinux), arguments: GatewayPort.overTLS, [HTTP2Reset.byClient, .byServer])
    func attack(port: GatewayPort, kind: HTTP2Reset) async throws {
        try await withGatewayUnderAttack { gateway in
            let before = try await gateway.reference()
            let growth = try await gateway.growth {
                let end = ContinuousClock.now + .seconds(4)
                let latencies = try await gateway.latencies {
                    _ = try await concurrently(Array(0..<5), limit: 5) { _ in
                        while ContinuousClock.now < end {
                            let connection = try await port.open(gateway.serving, protocols: ["h2"])
                            try await Self.resetAll(kind, connection, until: end)
                        }
                    }
                }
                let after = try await gateway.reference()
                let median = latencies[latencies.count / 2]
                let bound = Duration.milliseconds(300) * max(before.slowdown, after.slowdown)
                #expect(
                    !isAtFullSpeed || median < min(bound, .seconds(1)),
                    "before: \(before), median: \(median), after: \(after)")
                #expect(!isAtFullSpeed || latencies.last ?? .zero < .seconds(3))
            }
            #expect(!isAtFullSpeed || growth < 48, "\(growth) MiB")
        }
    }

    /// No connection's own limit is reached here.
    @Test(
        "Connections that are closed with 180 reset streams, one after the other, leave little memory",
        .enabled(if: isLinux), arguments: GatewayPort.overTLS)
    func withinTheLimit(port: GatewayPort) async throws {
        try await withGatewayUnderAttack { gateway in
            let growth = try await gateway.growth {
                let end = ContinuousClock.now + .seconds(4)
                _ = try await concurrently(Array(0..<5), limit: 5) { _ in
                    while ContinuousClock.now < end {
                        let connection = try await port.open(gateway.serving, protocols: ["h2"])
                        try await connection.send(
                            HTTP2Frames.preface + (0..<180).flatMap { HTTP2Reset.byClient.frames(on: 2 * $0 + 1) })
                        try await connection.close()
                    }
                }
            }
            #expect(!isAtFullSpeed || growth < 48, "\(growth) MiB")
        }
    }

    /// Opens streams and has them reset, 1,000 at a time, until the connection closes or the time is over.
    private static func resetAll(
        _ kind: HTTP2Reset, _ connection: TLSConnection, until end: ContinuousClock.Instant
    ) async throws {
        try? await connection.send(HTTP2Frames.preface)
        var streams = stride(from: UInt32(1), to: 1 << 30, by: 2).makeIterator()
        while connection.isOpen, ContinuousClock.now < end {
            let piece = (0..<1_000).flatMap { _ in kind.frames(on: streams.next() ?? 1) }
            await connection.flood(piece, count: 1, within: .milliseconds(500))
        }
        try? await connection.close()
    }

    @Test(
        "A client that resets each stream after its answer, as libcurl 7.88 does, keeps its connection",
        arguments: GatewayPort.overTLS)
    func afterAnswers(port: GatewayPort) async throws {
        try await withGatewayUnderAttack { gateway in
            let connection = try await port.open(gateway.serving, protocols: ["h2"])
            try await connection.send(HTTP2Frames.preface)
            for round in 0..<40 {
                let streams = (0..<50).map { UInt32(round * 100 + 2 * $0 + 1) }
                try await connection.send(
                    streams.flatMap { HTTP2Frames.request("GET", "/healthz", on: $0, isWhole: true) })
                for _ in streams { try await connection.receive { HTTP2Frames.takeEnd(from: &$0) } }
                try await connection.send(streams.flatMap { HTTP2Frames.reset($0) })
            }
            #expect(connection.isOpen)
            try await connection.close()
        }
    }
}

/// The way in which a stream is reset before its answer.
enum HTTP2Reset: Sendable {
    /// The client cancels the stream.
    case byClient
    /// The client sends a body after the end of the stream, so that the server resets it (RFC 9113 §5.1).
    case byServer

    func frames(on stream: UInt32) -> [UInt8] {
        HTTP2Frames.request("GET", "/healthz", on: stream, isWhole: true)
            + (self == .byClient ? HTTP2Frames.reset(stream) : HTTP2Frames.frame(.data, on: stream, [0x61]))
    }
}
