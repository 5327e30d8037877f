import APNsSimulator
import Foundation
import NIOCore
import NIOHTTP2
import NIOSSL
import Testing

@Suite("Simulator connections that break", .timeLimit(.minutes(10)))
struct BreakageTests {
    /// Pushes twice, one after the other, to a connection that breaks at the second push.
    ///
    /// - Parameter check: Receives the frames after the first answer, and the error after them.
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
                // Sends in one write: a second write could fail with the break, and end the connection without an
                // error to read.
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

    @Test("A scripted reset is an ECONNRESET at the client, without GOAWAY")
    func reset() async throws {
        try await pushTwice(.init(afterRequests: 1, kind: .reset), accepted: 1) { seen, error in
            #expect(seen.isEmpty)
            #expect((error as? IOError)?.errnoCode == ECONNRESET, "\(String(describing: error))")
        }
    }

    @Test("A scripted close is an unclean TLS shutdown at the client, without GOAWAY")
    func close() async throws {
        try await pushTwice(.init(afterRequests: 1, kind: .close), accepted: 1) { seen, error in
            #expect(seen.isEmpty)
            #expect((error as? NIOSSLError) == .uncleanShutdown, "\(String(describing: error))")
        }
    }

    @Test("A break in the middle of an answer sends its HEADERS without an end, and the request is accepted")
    func inAnswer() async throws {
        try await pushTwice(.init(afterRequests: 1, kind: .close, isInAnswer: true), accepted: 2) { seen, error in
            #expect(seen == ["3: HEADERS 200"])
            #expect((error as? NIOSSLError) == .uncleanShutdown, "\(String(describing: error))")
        }
    }
}
