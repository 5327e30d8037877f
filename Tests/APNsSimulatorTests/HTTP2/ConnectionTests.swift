import APNsSimulator
import NIOHTTP2
import Testing

@Suite("Connections", .timeLimit(.minutes(1)))
struct ConnectionTests {
    @Test("A client that negotiates no ALPN protocol and speaks HTTP/2 is served")
    func withoutALPN() async throws {
        try await RunningSimulatorFixture.run { fixture in
            let frames = try await fixture.withFrames(applicationProtocols: []) { client, frames in
                try await client.push(on: 1)
                return try await frames.onStreams(1)
            }
            #expect(frames == ["HEADERS 200 END_STREAM"])
        }
    }

    @Test("Where ALPN is asked for, a client without it is turned away, and one with it is served")
    func requiresALPN() async throws {
        try await RunningSimulatorFixture.run {
            $0.requiresALPN = true
        } body: { fixture in
            let served = try await fixture.withFrames { client, frames in
                try await client.push(on: 1)
                return try await frames.onStreams(1)
            }
            #expect(served == ["HEADERS 200 END_STREAM"])
            let refused = try? await fixture.withFrames(applicationProtocols: []) { client, frames in
                try await client.push(on: 1)
                return try await frames.onStreams(1)
            }
            #expect(refused?.first == nil)
            #expect(fixture.simulator.counters.requests == 1)
        }
    }

    @Test("A client may reset as many streams as it likes, when the limiter is off")
    func unlimitedResets() async throws {
        try await RunningSimulatorFixture.run { fixture in
            let frames = try await fixture.withFrames { client, frames in
                for number in 0..<600 {
                    try await client.sendHead(on: 2 * number + 1)
                    try await client.send(.rstStream(.streamClosed), on: 2 * number + 1)
                }
                try await client.push(on: 1201)
                return try await frames.onStreams(1)
            }
            #expect(frames == ["HEADERS 200 END_STREAM"])
            #expect(fixture.simulator.counters.streamsReset == 600)
        }
    }

    @Test("With the limiter on, the 201st reset ends the connection with GOAWAY and ENHANCE_YOUR_CALM")
    func limitedResets() async throws {
        try await RunningSimulatorFixture.run {
            $0.limitsStreamResets = true
        } body: { fixture in
            let goAway = try await fixture.withFrames { client, frames in
                for number in 0..<201 {
                    try await client.sendHead(on: 2 * number + 1)
                    try await client.send(.rstStream(.streamClosed), on: 2 * number + 1)
                }
                return try await frames.first(\.goAwaySummary)
            }
            #expect(goAway == "GOAWAY 0 11")
        }
    }

    @Test("A connection may begin with one stream, until the first request with a good provider token")
    func oneStream() async throws {
        try await RunningSimulatorFixture.run {
            $0.startsWithOneStream = true
            $0.maximumConcurrentStreams = 500
        } body: { fixture in
            let limits = try await fixture.withFrames { client, frames in
                let first = try await frames.streamLimit()
                try await client.push(on: 1, ["authorization": nil])
                let refused = try await frames.onStreams(2)
                #expect(refused.first == "HEADERS 403")
                try await client.push(on: 3)
                return [first, try await frames.streamLimit()]
            }
            #expect(limits == [1, 500])
        }
    }

    @Test("At shutdown clients are told the last stream, get the answers on their way, and are disconnected")
    func shutdown() async throws {
        try await RunningSimulatorFixture.run {
            $0.gracePeriod = .seconds(30)
        } body: { fixture in
            fixture.simulator.script(token: nil, answers: [.accepting(after: .milliseconds(300))])
            let frames = try await fixture.withFrames { client, frames in
                try await client.push(on: 1)
                try await fixture.simulator.wait(for: 1)
                async let shutdown: Void = fixture.simulator.shutdown()
                var seen: [String] = []
                while let frame = try await frames.next() { seen.append(frame.summary) }
                await shutdown
                return seen
            }
            #expect(frames.contains("GOAWAY 1 0"))
            #expect(frames.contains("HEADERS 200 END_STREAM"))
        }
    }

    @Test("An answer that takes longer than the grace period does not hold up a shutdown")
    func gracePeriod() async throws {
        try await RunningSimulatorFixture.run {
            $0.gracePeriod = .milliseconds(50)
        } body: { fixture in
            fixture.simulator.script(token: nil, answers: [.accepting(after: .seconds(3600))])
            let answer = try await fixture.withFrames { client, frames in
                try await client.push(on: 1)
                try await fixture.simulator.wait(for: 1)
                await fixture.simulator.shutdown()
                return try? await frames.onStreams(1).first
            }
            #expect(answer == nil)
            #expect(fixture.simulator.counters.connectionsOpen == 0)
        }
    }
}

extension HTTP2Frame {
    /// The summary, when this is GOAWAY.
    fileprivate var goAwaySummary: String? {
        if case .goAway = payload { summary } else { nil }
    }
}
