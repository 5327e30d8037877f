import APNsSimulator
import HTTPClient
import HTTPTypes
import TestDoubles
import Testing

@Suite("HTTP/2 of HTTPClient", .timeLimit(.minutes(10)))
struct HTTP2Tests {
    @Test("A push over libcurl is answered over HTTP/2, and the next uses the same connection")
    func onePush() async throws {
        let bench = try await PushBench()
        let first = try await bench.client.execute(bench.push(to: 1))
        #expect(first.statusCode == 200)
        #expect(first.version == .http2)
        #expect(first.body.isEmpty)
        #expect(first.headerFields[try #require(HTTPField.Name("apns-id"))] != nil)
        #expect(first.connectionsOpened == 1)
        #expect(try await bench.client.execute(bench.push(to: 2)).connectionsOpened == 0)
        #expect(bench.simulator.counters.connectionsOpened == 1)
        await bench.simulator.shutdown()
    }

    @Test("A large burst over libcurl uses four connections, and each push arrives once")
    func largeBurst() async throws {
        let bench = try await PushBench()
        #expect(await bench.burst(2_000) == ["200": 2_000])
        let counters = bench.simulator.counters
        #expect(counters.connectionsOpened == 4)
        #expect(counters.distinctTokens == 2_000)
        #expect(counters.requests == 2_000)
        #expect(bench.client.statistics.connectionsOpened == 4)
        await bench.simulator.shutdown()
    }

    @Test("A late first answer over libcurl delays only its own request")
    func firstAnswerHangs() async throws {
        let bench = try await PushBench(client: { $0.firstAnswerPatience = .milliseconds(100) })
        bench.simulator.script(token: nil, answers: [.accepting(after: .seconds(50))])
        let late = Task { await bench.outcome(of: bench.push(to: 1)) }
        #expect(await eventually { bench.simulator.counters.requests == 1 })
        #expect(await bench.burst(10) == ["200": 10])
        #expect(bench.simulator.counters.connectionsOpened > 1)
        late.cancel()
        #expect(await late.value == "cancelled")
        await bench.simulator.shutdown()
    }

    @Test("A connection over libcurl has no more open streams than configured")
    func streamLimit() async throws {
        let bench = try await PushBench(
            simulator: {
                $0.maximumConcurrentStreams = 10
                $0.latency = .milliseconds(2)
            },
            client: {
                $0.maximumStreamsPerConnection = 10
                $0.maximumConnectionsPerHost = 2
            })
        #expect(await bench.burst(400) == ["200": 400])
        #expect(bench.simulator.counters.streams == 400)
        #expect(bench.simulator.counters.connectionsOpened == 2)
        await bench.simulator.shutdown()
    }

    @Test("A deadline over libcurl ends one stream, and leaves the connection open")
    func deadline() async throws {
        let bench = try await PushBench()
        #expect(await bench.outcome(of: bench.push(to: 1)) == "200")
        bench.simulator.script(
            token: nil, answers: [.accepting(after: .seconds(30)), .accepting(after: .milliseconds(100), count: 10)])
        // The deadline lets the other requests be answered first even on a very busy machine. A connection without
        // any answer in that time would rightly be given up.
        async let late = bench.outcome(of: bench.push(to: 2, deadline: .seconds(6)))
        try await bench.simulator.wait(for: 2)
        #expect(await bench.burst(10) == ["200": 10])
        #expect(await late == "timedOut")
        #expect(await bench.outcome(of: bench.push(to: 3)) == "200")
        #expect(bench.simulator.counters.connectionsOpened == 1)
        await bench.simulator.shutdown()
    }

    @Test("A push cancelled over libcurl resets only its stream")
    func cancellation() async throws {
        let bench = try await PushBench()
        #expect(await bench.outcome(of: bench.push(to: 1)) == "200")
        bench.simulator.script(token: nil, answers: [.accepting(after: .seconds(30))])
        let task = Task { await bench.outcome(of: bench.push(to: 2)) }
        try await bench.simulator.wait(for: 2)
        task.cancel()
        #expect(await task.value == "cancelled")
        #expect(await bench.outcome(of: bench.push(to: 3)) == "200")
        #expect(await eventually { bench.simulator.counters.streamsReset == 1 })
        #expect(bench.simulator.counters.connectionsOpened == 1)
        await bench.simulator.shutdown()
    }

    /// NIO's own limit, which this libcurl exceeds; see `HTTPClient`.
    @Test("A server that limits resets gives only failures that allow a retry, and all pushes arrive")
    func limitedResets() async throws {
        let bench = try await PushBench(simulator: { $0.limitsStreamResets = true })
        var accepted = 0
        for _ in 0..<20 {
            let outcomes = await bench.burst(100)
            accepted += outcomes["200"] ?? 0
            #expect(Set(outcomes.keys).isSubset(of: ["200", "connectionLost", "refused"]))
        }
        #expect(accepted > 1_500)
        #expect(bench.simulator.counters.distinctTokens == 100)
        await bench.simulator.shutdown()
    }
}
