import APNsSimulator
import NIOHTTP2
import Testing

@Suite("HTTP/2 connections to the simulator", .timeLimit(.minutes(10)))
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

    @Test("A simulator that requires ALPN serves a client with it, and refuses one without")
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

    @Test("A client may reset any number of streams if the limit is off")
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

    @Test("With the limit on, the 201st reset ends the connection with GOAWAY and ENHANCE_YOUR_CALM")
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

    @Test("A connection may start with one stream until the first request with a valid provider token")
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

    @Test("A shutdown sends GOAWAY with the last stream, finishes open answers, and closes connections")
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

    @Test("An answer longer than the grace period does not delay a shutdown")
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
    /// The summary if the frame is GOAWAY; otherwise `nil`.
    fileprivate var goAwaySummary: String? {
        if case .goAway = payload { summary } else { nil }
    }
}
