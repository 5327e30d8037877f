import APNsSimulator
import NIOHTTP2
import Testing

@Suite("Simulator connections that send GOAWAY", .timeLimit(.minutes(10)))
struct GoAwayTests {
    @Test("A scripted GOAWAY names the last answered stream, ignores later ones, and closes the connection")
    func goAway() async throws {
        try await RunningSimulatorFixture.run {
            $0.connections = [.with(count: 1) { $0.goAway = ScriptedGoAway(afterRequests: 3) }]
        } body: { fixture in
            let seen = try await fixture.withFrames { client, frames in
                try await client.push(on: [1, 3, 5, 7])
                return await frames.untilEnd().frames
            }
            #expect(
                seen.sorted() == [
                    "1: HEADERS 200 END_STREAM", "3: HEADERS 200 END_STREAM", "5: HEADERS 200 END_STREAM",
                    #"GOAWAY 5 0 {"reason":"Shutdown"}"#,
                ])
            #expect(fixture.simulator.counters.requests == 3)
            #expect(fixture.simulator.counters.goAwaysSent == 1)
        }
    }

    @Test("A scripted GOAWAY may leave out the last request, which is then not processed")
    func leavesOutLast() async throws {
        try await RunningSimulatorFixture.run {
            $0.connections = [.with { $0.goAway = .init(afterRequests: 3, reason: nil, leavesOutLast: true) }]
        } body: { fixture in
            let seen = try await fixture.withFrames { client, frames in
                try await client.push(on: [1, 3, 5])
                return await frames.untilEnd().frames
            }
            #expect(seen.sorted() == ["1: HEADERS 200 END_STREAM", "3: HEADERS 200 END_STREAM", "GOAWAY 3 0"])
            #expect(fixture.simulator.counters.requests == 2)
        }
    }

    @Test("A request started before GOAWAY is answered, even if DATA of ignored streams comes first")
    func interleaved() async throws {
        try await RunningSimulatorFixture.run {
            $0.connections = [.with { $0.goAway = ScriptedGoAway(afterRequests: 2) }]
        } body: { fixture in
            let seen = try await fixture.withFrames { client, frames in
                let streams = [1, 3, 5, 7]
                try await client.send(streams.map { client.head(on: $0) } + streams.map { client.body(on: $0) })
                return await frames.untilEnd().frames
            }
            #expect(
                seen.sorted() == [
                    "1: HEADERS 200 END_STREAM", "3: HEADERS 200 END_STREAM", #"GOAWAY 3 0 {"reason":"Shutdown"}"#,
                ])
            #expect(seen.first == #"GOAWAY 3 0 {"reason":"Shutdown"}"#)
            #expect(fixture.simulator.counters.goAwaysSent == 1)
        }
    }

    @Test("A GOAWAY script for one connection does not affect the next")
    func oneConnection() async throws {
        try await RunningSimulatorFixture.run { fixture in
            fixture.simulator.script(connections: [.with(count: 1) { $0.goAway = ScriptedGoAway(afterRequests: 1) }])
            for expected in [true, false] {
                let seen = try await fixture.withFrames { client, frames in
                    try await client.push(on: [1, 3])
                    return try await [frames.next(), frames.next(), frames.next(), frames.next(), frames.next()]
                        .compactMap { $0?.numberedSummary }
                }
                #expect(seen.contains { $0.hasPrefix("GOAWAY") } == expected, "\(seen)")
            }
            #expect(fixture.simulator.counters.goAwaysSent == 1)
        }
    }

    @Test("A real sender moves to another connection after each GOAWAY, and nothing is received twice")
    func realSender() async throws {
        try await RunningSimulatorFixture.runWithSender {
            $0.connections = [.with { $0.goAway = ScriptedGoAway(afterRequests: 10) }]
        } body: { fixture, sender in
            for _ in 0..<50 { _ = try await sender.push(to: "ab") }
            let counters = fixture.simulator.counters
            #expect(counters.accepted == 50)
            #expect(counters.goAwaysSent == 5)
            #expect(counters.connectionsOpened == 5)
        }
    }

    @Test("A shutdown does not wait for delayed answers of a draining connection")
    func shutdown() async throws {
        try await RunningSimulatorFixture.run {
            $0.gracePeriod = .milliseconds(20)
            $0.connections = [.with { $0.goAway = ScriptedGoAway(afterRequests: 1) }]
            $0.latency = .seconds(3600)
        } body: { fixture in
            let seen = try await fixture.withFrames { client, frames in
                try await client.push(on: 1)
                try await fixture.simulator.wait(for: 1)
                await fixture.simulator.shutdown()
                return await frames.untilEnd().frames
            }
            #expect(seen == [#"GOAWAY 1 0 {"reason":"Shutdown"}"#])
        }
    }
}
