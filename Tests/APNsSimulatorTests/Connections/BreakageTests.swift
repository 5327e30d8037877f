import APNsSimulator
import Foundation
import NIOCore
import NIOHTTP2
import NIOSSL
import Testing

@Suite("Connections that break", .timeLimit(.minutes(1)))
struct BreakageTests {
    /// Pushes twice, one after the other, to a connection that breaks at the second.
    ///
    /// - Parameter check: looks at what came after the first answer, and at the error after that.
    private func pushTwice(
        _ breakage: ConnectionBreakage, accepted: Int,
        check: @escaping @Sendable ([String], (any Error)?) -> Void
    ) async throws {
        try await RunningSimulatorFixture.run {
            $0.connections = [.with(count: 1) { $0.breakage = breakage }]
        } body: { fixture in
            try await fixture.withFrames { client, frames in
                try await client.push(on: 1)
                #expect(try await frames.onStreams(1) == ["HEADERS 200 END_STREAM"])
                // In one write: one that the break fails would end the connection without an error to read.
                try await client.push(on: [3])
                let (seen, error) = await frames.untilEnd()
                check(seen, error)
            }
            let counters = fixture.simulator.counters
            #expect(counters.connectionsBroken == 1)
            #expect(counters.accepted == accepted)
            #expect(counters.goAwaysSent == 0)
        }
    }

    @Test("With a reset the client's TCP says so, and there is no GOAWAY")
    func reset() async throws {
        try await pushTwice(.init(afterRequests: 1, kind: .reset), accepted: 1) { seen, error in
            #expect(seen.isEmpty)
            #expect((error as? IOError)?.errnoCode == ECONNRESET, "\(String(describing: error))")
        }
    }

    @Test("With a close TLS misses its end, and there is no GOAWAY")
    func close() async throws {
        try await pushTwice(.init(afterRequests: 1, kind: .close), accepted: 1) { seen, error in
            #expect(seen.isEmpty)
            #expect((error as? NIOSSLError) == .uncleanShutdown, "\(String(describing: error))")
        }
    }

    @Test("In the middle of an answer its HEADERS frame comes, its end does not, and the request is accepted")
    func inAnswer() async throws {
        try await pushTwice(.init(afterRequests: 1, kind: .close, isInAnswer: true), accepted: 2) { seen, error in
            #expect(seen == ["3: HEADERS 200"])
            #expect((error as? NIOSSLError) == .uncleanShutdown, "\(String(describing: error))")
        }
    }
}
