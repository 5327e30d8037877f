import DocumentStore
import Functions
import TestDoubles
import Testing

@Suite("CodeAgents: scheduled clean-up")
struct CleanUpTests {
    private static let day = 86_400

    private func cleanUp(_ bench: Bench) async throws {
        let job = try #require(bench.module.jobs.first { $0.name == "codeagents-clean-up" })
        #expect(job.interval == .seconds(Self.day))
        try await job.run()
    }

    private func put(_ bench: Bench, _ path: String, _ field: String, daysAgo: Int) async throws {
        let time = Value.timestamp(bench.clock.timestamp.adding(.seconds(-daysAgo * Self.day)))
        _ = try await bench.disk.documents.commit([.set(try DocumentPath(path), [field: time])])
    }

    private func paths(_ bench: Bench) async throws -> Set<String> { Set(try await bench.documents().keys) }

    @Test("A device not seen for 90 days is removed, and an hour later the agent and the server that it leaves empty")
    func everything() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        bench.clock.advance(by: .seconds(90 * Self.day))
        try await cleanUp(bench)
        #expect(try await bench.documents().count == 3)
        bench.clock.advance(by: .seconds(1))
        try await cleanUp(bench)
        #expect(try await paths(bench) == [Bench.server, Bench.agent])
        bench.clock.advance(by: .seconds(3_600))
        try await cleanUp(bench)
        #expect(try await bench.documents().isEmpty)
    }

    @Test("Nothing is removed within 90 days of the last trigger, although its time was not stored, at any gateway")
    func lag() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        _ = try await bench.unregister(.unregister())
        bench.clock.advance(by: .seconds(3_599))
        let before = try await bench.documents()
        _ = try await bench.trigger()
        #expect(try await bench.documents() == before)
        // A gateway that has seen no trigger.
        let other = CodeAgents(
            settings: CodeAgentsSettings(), store: bench.store, broadcaster: bench.broadcaster,
            now: { [clock = bench.clock] in clock.timestamp }, logger: bench.log.logger)
        let job = try #require(other.jobs.first { $0.name == "codeagents-clean-up" })
        bench.clock.advance(by: .seconds(90 * Self.day))
        try await job.run()
        #expect(try await bench.documents() == before)
        bench.clock.advance(by: .seconds(2))
        try await job.run()
        #expect(try await bench.documents().isEmpty)
    }

    @Test("The clean-up keeps fresh documents at each level and the documents above them")
    func fresh() async throws {
        let bench = try Bench()
        try await put(bench, "servers/a", "lastSeenAt", daysAgo: 100)
        try await put(bench, "servers/a/agents/1", "updatedAt", daysAgo: 100)
        try await put(bench, "servers/a/agents/1/devices/old", "updatedAt", daysAgo: 100)
        try await put(bench, "servers/a/agents/1/devices/new", "updatedAt", daysAgo: 10)
        try await put(bench, "servers/a/agents/2", "updatedAt", daysAgo: 100)
        try await put(bench, "servers/a/agents/2/devices/old", "updatedAt", daysAgo: 100)
        try await put(bench, "servers/b", "lastSeenAt", daysAgo: 100)
        try await put(bench, "servers/b/agents/1", "updatedAt", daysAgo: 10)
        try await put(bench, "servers/c", "lastSeenAt", daysAgo: 10)
        try await put(bench, "servers/c/agents/1", "updatedAt", daysAgo: 100)
        try await put(bench, "servers/d", "lastSeenAt", daysAgo: 100)
        try await cleanUp(bench)
        #expect(
            try await paths(bench) == [
                "servers/a", "servers/a/agents/1", "servers/a/agents/1/devices/new", "servers/b",
                "servers/b/agents/1", "servers/c",
            ])
    }

    @Test("A trigger renews server and agent, and a registration renews the device")
    func kept() async throws {
        let bench = try Bench()
        _ = try await bench.register(.register("a"))
        bench.clock.advance(by: .seconds(50 * Self.day))
        _ = try await bench.register(.register("b", token: "t"))
        bench.clock.advance(by: .seconds(50 * Self.day))
        try await cleanUp(bench)
        #expect(try await paths(bench) == [Bench.server, Bench.agent, Bench.device("b")])
        _ = try await bench.unregister(.unregister("b"))
        _ = try await bench.trigger()
        bench.clock.advance(by: .seconds(80 * Self.day))
        try await cleanUp(bench)
        #expect(try await paths(bench) == [Bench.server, Bench.agent])
        bench.clock.advance(by: .seconds(11 * Self.day))
        try await cleanUp(bench)
        #expect(try await paths(bench).isEmpty)
    }

    @Test("The clean-up keeps foreign documents in collections of the same ids, whatever their age")
    func others() async throws {
        let bench = try Bench()
        let foreign: Set = [
            "devices/x", "agents/x", "agents/x/devices/y", "rooms/x/servers/y", "rooms/x/agents/y",
            "rooms/x/agents/y/devices/z", "rooms/x/devices/y", "games/a/agents/b/devices/c/servers/d",
            "servers/a/rooms/b/devices/c",
        ]
        for path in foreign {
            for field in ["updatedAt", "lastSeenAt"] { try await put(bench, path, field, daysAgo: 1_000) }
        }
        try await cleanUp(bench)
        for path in foreign {
            let document = try await bench.document(path)
            #expect(document != nil, "\(path) is gone")
        }
    }

    @Test("The clean-up keeps documents without a time")
    func withoutTime() async throws {
        let bench = try Bench()
        for path in ["servers/a", "servers/a/agents/1", "servers/a/agents/1/devices/x"] {
            _ = try await bench.disk.documents.commit([.set(try DocumentPath(path), ["updatedAt": "long ago"])])
        }
        try await cleanUp(bench)
        #expect(try await bench.documents().count == 3)
    }

    @Test("The clean-up removes more stale documents than one batch and leaves others between them")
    func many() async throws {
        let bench = try Bench()
        let old = Value.timestamp(bench.clock.timestamp.adding(.seconds(-100 * Self.day)))
        var writes: [Write] = [.set(try DocumentPath("rooms/r"), [:])]
        for number in 0..<1_100 {
            writes.append(.set(try DocumentPath("servers/s/agents/a/devices/d\(number)"), ["updatedAt": old]))
            writes.append(.set(try DocumentPath("rooms/r/devices/d\(number)"), ["updatedAt": old]))
            writes.append(.set(try DocumentPath("servers/s\(number)"), ["lastSeenAt": old]))
        }
        _ = try await bench.disk.documents.commit(writes)
        try await cleanUp(bench)
        let left = try await paths(bench)
        #expect(left.count == 1_101)
        #expect(left.allSatisfy { $0.hasPrefix("rooms/") })
    }

    @Test("A device that registers during the clean-up stays")
    func race() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        bench.clock.advance(by: .seconds(100 * Self.day))
        let device = try DocumentPath(Bench.device("phone"))
        bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.count == 1, writes.contains(where: { $0.path == device }) else { return }
                let now = Value.timestamp(bench.clock.timestamp)
                _ = try await bench.disk.documents.commit([.merge(device, ["updatedAt": now])])
            }
        }
        try await cleanUp(bench)
        #expect(try await paths(bench) == [Bench.server, Bench.agent, Bench.device("phone")])
    }
}
