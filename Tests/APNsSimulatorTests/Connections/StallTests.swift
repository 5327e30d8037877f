import APNsSimulator
import NIOHTTP2
import Testing

@Suite("Simulator connections that hang", .timeLimit(.minutes(10)))
struct StallTests {
    @Test("A stalled connection answers nothing after its number of requests, not even PING, and stays open")
    func stall() async throws {
        try await RunningSimulatorFixture.run {
            $0.gracePeriod = .seconds(3600)
            $0.connections = [.with { $0.stallsAfter = 2 }]
        } body: { fixture in
            let seen = try await fixture.withFrames { client, frames in
                try await client.push(on: 1)
                try await client.send(.ping(HTTP2PingData(withInteger: 1), ack: false), on: 0)
                try await client.push(on: 3)
                let answered = try await frames.onStreams(2)
                try await client.push(on: 5)
                let hasStalled = try await fixture.eventually { $0.connectionsStalled == 1 }
                #expect(hasStalled)
                try await client.send(.ping(HTTP2PingData(withInteger: 2), ack: false), on: 0)
                try await client.push(on: 7)
                #expect(fixture.simulator.counters.connectionsOpen == 1)
                await fixture.simulator.shutdown()
                return await answered + frames.untilEnd().frames
            }
            #expect(seen == ["HEADERS 200 END_STREAM", "HEADERS 200 END_STREAM"])
            #expect(fixture.simulator.counters.requests == 2)
            #expect(fixture.simulator.counters.goAwaysSent == 0)
        }
    }

    @Test("A stalled connection never sends its delayed answers")
    func heldBack() async throws {
        try await RunningSimulatorFixture.run {
            $0.latency = .milliseconds(30)
            $0.connections = [.with { $0.stallsAfter = 1 }]
        } body: { fixture in
            let seen = try await fixture.withFrames { client, frames in
                try await client.push(on: [1, 3])
                let hasStalled = try await fixture.eventually { $0.connectionsStalled == 1 }
                #expect(hasStalled)
                // Longer than the answer takes on another connection.
                try await fixture.withFrames { other, frames in
                    try await other.push(on: 1)
                    _ = try await frames.onStreams(1)
                }
                await fixture.simulator.shutdown()
                return await frames.untilEnd().frames
            }
            #expect(seen.isEmpty)
        }
    }

    @Test("A stalled connection ends when its client closes it")
    func clientCloses() async throws {
        try await RunningSimulatorFixture.run {
            $0.connections = [.with { $0.stallsAfter = 0 }]
        } body: { fixture in
            try? await fixture.withFrames { client, _ in
                try await client.push(on: 1)
                let hasStalled = try await fixture.eventually { $0.connectionsStalled == 1 }
                #expect(hasStalled)
            }
            let isGone = try await fixture.eventually { $0.connectionsOpen == 0 }
            #expect(isGone)
        }
    }

    @Test("A connection may hang in the TLS handshake while the next one is served")
    func handshake() async throws {
        try await RunningSimulatorFixture.run {
            $0.connections = [.with(count: 1) { $0.stallsHandshake = true }]
        } body: { fixture in
            let seen = try await fixture.withFrames { client, frames in
                let hasStalled = try await fixture.eventually { $0.connectionsStalled == 1 }
                #expect(hasStalled)
                let served = try await fixture.withFrames { other, frames in
                    try await other.push(on: 1)
                    return try await frames.onStreams(1)
                }
                await fixture.simulator.shutdown()
                return await served + frames.untilEnd().frames
            }
            #expect(seen == ["HEADERS 200 END_STREAM"])
            #expect(fixture.simulator.counters.connectionsOpened == 2)
        }
    }
}
