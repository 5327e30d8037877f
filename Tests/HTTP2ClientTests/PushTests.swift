import APNsSimulator
import HTTP2Client
import TestDoubles
import Testing

@Suite("The HTTP/2 client", .timeLimit(.minutes(2)))
struct PushTests {
    @Test("a push is answered over HTTP/2, and the next shares the connection")
    func onePush() async throws {
        let bench = try await PushBench()
        let first = try await bench.client.execute(bench.push(to: 1))
        #expect(first.statusCode == 200)
        #expect(first.body.isEmpty && first.value(of: "apns-id") != nil)
        #expect(try await bench.client.execute(bench.push(to: 2)).statusCode == 200)
        #expect(bench.simulator.counters.connectionsOpened == 1)
        await bench.simulator.shutdown()
    }

    @Test("a refusal comes with its reason")
    func refusal() async throws {
        let bench = try await PushBench()
        bench.simulator.script(token: nil, answers: [.rejecting(.unregistered)])
        let response = try await bench.client.execute(bench.push(to: 1))
        #expect(response.statusCode == 410)
        #expect(String(decoding: response.body, as: UTF8.self).contains("Unregistered"))
        await bench.simulator.shutdown()
    }

    @Test("a burst that fits on one connection opens one")
    func smallBurst() async throws {
        let bench = try await PushBench()
        #expect(await bench.burst(100) == ["200": 100])
        #expect(bench.simulator.counters.connectionsOpened == 1)
        await bench.simulator.shutdown()
    }

    @Test("a large burst goes over several connections, and each push arrives once")
    func largeBurst() async throws {
        let bench = try await PushBench(client: { $0.maximumStreams = 100 })
        #expect(await bench.burst(2_000) == ["200": 2_000])
        let counters = bench.simulator.counters
        #expect(counters.connectionsOpened > 1 && counters.connectionsOpened <= 4)
        #expect(counters.distinctTokens == 2_000)
        #expect(counters.requests == 2_000)
        #expect(bench.client.statistics.connectionsOpened == counters.connectionsOpened)
        await bench.simulator.shutdown()
    }

    /// Apple's way, on which whoever sends at once has all streams but one refused.
    @Test("a server that allows one stream until it trusts the sender refuses nothing")
    func startsWithOneStream() async throws {
        let bench = try await PushBench(simulator: {
            $0.startsWithOneStream = true
            $0.latency = .milliseconds(5)
        })
        #expect(await bench.burst(1_000) == ["200": 1_000])
        let counters = bench.simulator.counters
        #expect(counters.requests == 1_000)
        #expect(counters.streams == 1_000)
        #expect(counters.connectionsOpened <= 4)
        await bench.simulator.shutdown()
    }

    @Test("a fresh connection's first answer that does not come holds up only itself")
    func firstAnswerHangs() async throws {
        let bench = try await PushBench(client: { $0.firstAnswerPatience = .milliseconds(100) })
        bench.simulator.script(token: nil, answers: [.accepting(after: .seconds(50))])
        let late = Task { await bench.outcome(of: bench.push(to: 1)) }
        #expect(await eventually(within: .seconds(50)) { bench.simulator.counters.requests == 1 })
        #expect(await bench.burst(10) == ["200": 10])
        #expect(bench.simulator.counters.connectionsOpened > 1)
        late.cancel()
        #expect(await late.value == "cancelled")
        await bench.simulator.shutdown()
    }

    @Test("no more streams are open on a connection than configured")
    func streamLimit() async throws {
        let bench = try await PushBench(
            simulator: {
                $0.maximumConcurrentStreams = 10
                $0.latency = .milliseconds(2)
            },
            client: {
                $0.maximumStreams = 10
                $0.maximumConnections = 2
            })
        #expect(await bench.burst(400) == ["200": 400])
        #expect(bench.simulator.counters.streams == 400)
        #expect(bench.simulator.counters.connectionsOpened == 2)
        await bench.simulator.shutdown()
    }

    @Test("a deadline ends one stream and leaves the connection to the others")
    func deadline() async throws {
        let bench = try await PushBench()
        #expect(await bench.outcome(of: bench.push(to: 1)) == "200")
        bench.simulator.script(
            token: nil, answers: [.accepting(after: .seconds(30)), .accepting(after: .milliseconds(100), count: 10)])
        // Long enough for the others to be answered before it on the busiest machine: a connection on which nothing was
        // answered in all that time would be given up, and rightly.
        async let late = bench.outcome(of: bench.push(to: 2, deadline: .seconds(6)))
        try await bench.simulator.wait(for: 2)
        #expect(await bench.burst(10) == ["200": 10])
        #expect(await late == "timedOut")
        #expect(await bench.outcome(of: bench.push(to: 3)) == "200")
        #expect(bench.simulator.counters.connectionsOpened == 1)
        await bench.simulator.shutdown()
    }

    @Test("a cancelled push resets its stream only")
    func cancellation() async throws {
        let bench = try await PushBench()
        #expect(await bench.outcome(of: bench.push(to: 1)) == "200")
        bench.simulator.script(token: nil, answers: [.accepting(after: .seconds(30))])
        let task = Task { await bench.outcome(of: bench.push(to: 2)) }
        try await bench.simulator.wait(for: 2)
        task.cancel()
        #expect(await task.value == "cancelled")
        #expect(await bench.outcome(of: bench.push(to: 3)) == "200")
        #expect(await eventually(within: .seconds(5)) { bench.simulator.counters.streamsReset == 1 })
        #expect(bench.simulator.counters.connectionsOpened == 1)
        await bench.simulator.shutdown()
    }

    @Test("a request for a new connection leaves the old one behind for everyone")
    func newConnection() async throws {
        let bench = try await PushBench()
        #expect(await bench.burst(50) == ["200": 50])
        #expect(await bench.outcome(of: bench.push(to: 1, usesNewConnection: true)) == "200")
        #expect(await bench.burst(50) == ["200": 50])
        #expect(bench.simulator.counters.connectionsOpened == 2)
        #expect(await eventually(within: .seconds(5)) { bench.simulator.counters.connectionsOpen == 1 })
        await bench.simulator.shutdown()
    }

    @Test("many requests at once for a new connection share what is opened")
    func newConnectionForMany() async throws {
        let bench = try await PushBench()
        #expect(await bench.outcome(of: bench.push(to: 1)) == "200")
        let client = bench.client
        await withTaskGroup(of: Void.self) { group in
            for device in 0..<50 {
                let request = bench.push(to: device, usesNewConnection: true)
                group.addTask { #expect(await client.failure(of: request) == nil) }
            }
        }
        #expect(bench.simulator.counters.requests == 51)
        #expect(bench.simulator.counters.connectionsOpened <= 1 + 50 / 4)
        await bench.simulator.shutdown()
    }

    @Test("requests of different groups never share a connection, and those of one do")
    func groups() async throws {
        let bench = try await PushBench()
        for group in ["one", "two", "one", "two"] {
            var request = bench.push(to: 1)
            request.connectionGroup = group
            #expect(await bench.outcome(of: request) == "200")
        }
        let connections = bench.simulator.received().map(\.connection)
        #expect(connections[0] == connections[2] && connections[1] == connections[3])
        #expect(bench.simulator.counters.connectionsOpened == 2)
        await bench.simulator.shutdown()
    }

    @Test("a server that says goodbye answers what it has, and the next push needs another")
    func goAway() async throws {
        let bench = try await PushBench(simulator: { $0.latency = .milliseconds(100) })
        #expect(await bench.outcome(of: bench.push(to: 1)) == "200")
        async let burst = bench.burst(50)
        try await bench.simulator.wait(for: 51)
        await bench.simulator.shutdown()
        #expect(await burst == ["200": 50])
        #expect(await bench.outcome(of: bench.push(to: 2)) == "couldNotConnect")
    }

    @Test(
        "What the server has not looked at goes again at once, and is no failure",
        arguments: ConnectionScript.unprocessing)
    func unprocessed(fault: String, script: ConnectionScript) async throws {
        let bench = try await PushBench(simulator: { $0.connections = [script] })
        #expect(await bench.burst(500) == ["200": 500])
        #expect(bench.simulator.counters.distinctTokens == 500 && bench.simulator.counters.duplicates == 0)
        await bench.simulator.shutdown()
    }

    @Test("Where nothing listens, one attempt fails all that waits, and none of it was processed")
    func nobodyListens() async throws {
        let bench = try await PushBench()
        await bench.simulator.shutdown()
        #expect(await bench.burst(50) == ["couldNotConnect": 50])
        #expect(bench.client.statistics.connectionsOpened < 50)
        let error = await bench.client.failure(of: bench.push(to: 1))
        #expect(error?.isUnprocessed == true && error?.isWithoutConnection == true)
    }

    @Test("The reason for which a server ends a connection is in the log")
    func goAwayReason() async throws {
        var script = ConnectionScript(count: nil)
        script.goAway = ScriptedGoAway(afterRequests: 1, reason: "TooManyProviderTokens")
        let log = CollectedLog()
        let bench = try await PushBench(simulator: { [script] in $0.connections = [script] }, logger: log.logger)
        #expect(await bench.outcome(of: bench.push(to: 1)) == "200")
        #expect(await eventually { log.lines.contains { $0.contains("ends a connection") } })
        #expect(log.lines.contains { $0.contains("TooManyProviderTokens") && $0.contains("127.0.0.1") })
        await bench.simulator.shutdown()
    }

    /// NIO's own limiter, which a client runs into that resets what it has read to the end.
    @Test("where resets are counted, all are answered over one connection")
    func limitedResets() async throws {
        let bench = try await PushBench(simulator: { $0.limitsStreamResets = true })
        for _ in 0..<20 { #expect(await bench.burst(100) == ["200": 100]) }
        #expect(bench.simulator.counters.connectionsOpened == 1 && bench.simulator.counters.streamsReset == 0)
        await bench.simulator.shutdown()
    }
}

extension ConnectionScript {
    fileprivate static let unprocessing: [(String, ConnectionScript)] = [
        ("REFUSED_STREAM", script { $0.refusesEvery = 7 }),
        ("GOAWAY", script { $0.goAway = ScriptedGoAway(afterRequests: 50) }),
        (
            "a GOAWAY that leaves a request out",
            script { $0.goAway = ScriptedGoAway(afterRequests: 50, leavesOutLast: true) }
        ),
        (
            "SETTINGS down and up",
            script {
                $0.streamLimits = [
                    StreamLimitStep(afterRequests: 20, limit: 1), StreamLimitStep(afterRequests: 40, limit: 1_000),
                ]
            }
        ),
    ]

    private static func script(_ change: (inout ConnectionScript) -> Void) -> ConnectionScript {
        var script = ConnectionScript(count: nil)
        change(&script)
        return script
    }
}
