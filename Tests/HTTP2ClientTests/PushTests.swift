import APNsSimulator
import HTTP2Client
import TestDoubles
import Testing

@Suite("HTTP/2 client", .timeLimit(.minutes(10)))
struct PushTests {
    @Test("A push is answered over HTTP/2, and the next push uses the same connection")
    func onePush() async throws {
        let bench = try await PushBench()
        let first = try await bench.client.execute(bench.push(to: 1))
        #expect(first.statusCode == 200)
        #expect(first.body.isEmpty && first.value(of: "apns-id") != nil)
        #expect(try await bench.client.execute(bench.push(to: 2)).statusCode == 200)
        #expect(bench.simulator.counters.connectionsOpened == 1)
        await bench.simulator.shutdown()
    }

    @Test("A response has only the fields that its request keeps")
    func responseFields() async throws {
        let bench = try await PushBench()
        var push = bench.push(to: 1)
        push.responseFields = ["apns-id", "retry-after"]
        let response = try await bench.client.execute(push)
        #expect(response.statusCode == 200)
        #expect(response.fields.map(\.name) == ["apns-id"])
        await bench.simulator.shutdown()
    }

    @Test("A refused push is answered with its reason")
    func refusal() async throws {
        let bench = try await PushBench()
        bench.simulator.script(token: nil, answers: [.rejecting(.unregistered)])
        let response = try await bench.client.execute(bench.push(to: 1))
        #expect(response.statusCode == 410)
        #expect(String(decoding: response.body, as: UTF8.self).contains("Unregistered"))
        await bench.simulator.shutdown()
    }

    @Test("A burst that fits on one connection opens one")
    func smallBurst() async throws {
        let bench = try await PushBench()
        #expect(await bench.burst(100) == ["200": 100])
        #expect(bench.simulator.counters.connectionsOpened == 1)
        await bench.simulator.shutdown()
    }

    @Test("A large burst uses several connections, and each push arrives once")
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

    @Test("Requests that a closure sends on the event loop are answered over one connection")
    func fromTheEventLoop() async throws {
        let bench = try await PushBench()
        let (answers, continuation) = AsyncStream<Int>.makeStream()
        bench.client.executeMany {
            for device in 0..<100 {
                bench.client.execute(bench.push(to: device)) { result in
                    continuation.yield((try? result.get().statusCode) ?? 0)
                }
            }
        }
        var statuses: [Int] = []
        for await status in answers.prefix(100) { statuses.append(status) }
        #expect(statuses == Array(repeating: 200, count: 100))
        #expect(bench.simulator.counters.connectionsOpened == 1)
        await bench.simulator.shutdown()
    }

    /// Apple allows one stream at first, and refuses all other streams of a client that sends at once.
    @Test("A server that allows one stream at first refuses no request of a burst")
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

    @Test("A late first answer on a fresh connection delays only its own request")
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

    @Test("A connection has no more open streams than configured")
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

    @Test("A request that reaches its deadline ends its stream, and leaves the connection open")
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

    @Test("A cancelled push resets only its stream")
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

    @Test("A request for a new connection closes the old one for all requests")
    func newConnection() async throws {
        let bench = try await PushBench()
        #expect(await bench.burst(50) == ["200": 50])
        #expect(await bench.outcome(of: bench.push(to: 1, usesNewConnection: true)) == "200")
        #expect(await bench.burst(50) == ["200": 50])
        #expect(bench.simulator.counters.connectionsOpened == 2)
        #expect(await eventually { bench.simulator.counters.connectionsOpen == 1 })
        await bench.simulator.shutdown()
    }

    @Test("Many concurrent requests for a new connection share the new connections")
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

    @Test("Requests of one group share a connection, and requests of different groups do not")
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

    @Test("A server that stops answers its open requests, and the next push needs another connection")
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
        "A request that the server did not process is sent again at once, without a failure",
        arguments: ConnectionScript.unprocessing)
    func unprocessed(fault: String, script: ConnectionScript) async throws {
        let bench = try await PushBench(simulator: { $0.connections = [script] })
        #expect(await bench.burst(500) == ["200": 500])
        #expect(bench.simulator.counters.distinctTokens == 500 && bench.simulator.counters.duplicates == 0)
        await bench.simulator.shutdown()
    }

    @Test("A server that does not listen fails all waiting requests with one attempt, as unprocessed")
    func nobodyListens() async throws {
        let bench = try await PushBench()
        await bench.simulator.shutdown()
        #expect(await bench.burst(50) == ["couldNotConnect": 50])
        #expect(bench.client.statistics.connectionsOpened < 50)
        let error = await bench.client.failure(of: bench.push(to: 1))
        #expect(error?.isUnprocessed == true && error?.isWithoutConnection == true)
    }

    @Test("The reason of a server's GOAWAY is logged")
    func goAwayReason() async throws {
        var script = ConnectionScript(count: nil)
        script.goAway = ScriptedGoAway(afterRequests: 1, reason: "TooManyProviderTokens")
        let log = CollectedLog()
        let bench = try await PushBench(simulator: { [script] in $0.connections = [script] }, logger: log.logger)
        #expect(await bench.outcome(of: bench.push(to: 1)) == "200")
        #expect(await eventually { log.lines.contains { $0.contains("received GOAWAY") } })
        #expect(log.lines.contains { $0.contains("TooManyProviderTokens") && $0.contains("127.0.0.1") })
        await bench.simulator.shutdown()
    }

    /// NIO's own limit, which a client exceeds if it resets streams that it has read to the end.
    @Test("A server that limits resets answers 2,000 requests over one connection without a reset")
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
