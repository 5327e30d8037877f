import DocumentStore
import Logging
import PostgreSQLStore
import TestBasics
import TestDoubles
import Testing

/// Engines of several gateways, which take over from each other.
@Suite("PostgreSQL: members", .enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct MembersTests {
    private func increment(_ engine: PostgreSQLEngine) async throws {
        let write = try Write.merge(
            DocumentPath("counters/one"), [:], mask: [], transforms: [FieldTransform("n", .increment(.integer(1)))])
        _ = try await engine.store(for: .app).commit([write])
    }

    private func member(_ url: String, formerly name: String? = nil) throws -> PostgreSQLEngine {
        var configuration = PostgreSQLStoreConfiguration(
            url: url, connections: 2, isMember: true, leaseLength: .seconds(3), pollInterval: .milliseconds(50))
        configuration.formerMember = name
        return try PostgreSQLEngine(configuration, logger: Logger(label: "test"))
    }

    @Test("Members know each other, the oldest leads, and one that leaves is followed by the next")
    func members() async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let engines = [try member(url), try member(url), try member(url)]
        let members = try engines.map { try #require($0.membership) }
        await members[0].untilLeader()
        #expect(try await members[2].names() == Set(members.map(\.name)))
        #expect(members.allSatisfy { $0.isHeld })
        try await Task.sleep(for: .seconds(1))
        #expect(!members[1].isLeader && !members[2].isLeader)
        await engines[0].close()
        await members[1].untilLeader()
        #expect(!members[2].isLeader)
        // The one that has left is removed, and with it its name.
        try await eventually("the first is gone") {
            try await members[2].names() == [members[1].name, members[2].name]
        }
        let next = try member(url, formerly: members[0].name)
        #expect(next.membership?.name != members[0].name)
        for engine in [engines[1], engines[2], next] { await engine.close() }
    }

    @Test("A member that does not renew its place is removed, and none of its commits is applied after that")
    func removal() async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let (first, second) = (try member(url), try member(url))
        let (one, other) = (try #require(first.membership), try #require(second.membership))
        try await increment(first)
        try await increment(second)
        // As if the process had stopped: its renewals concern another row from now on.
        try PostgreSQLEngine.run("UPDATE members SET number = -1 WHERE name = '\(one.name)'", at: url)
        await one.untilRemoved()
        #expect(!one.isHeld)
        #expect(await one.untilHeld() == false)
        let refused = await #expect(throws: StoreError.self) { try await increment(first) }
        #expect(refused?.code == .unavailable && refused?.message.contains("another gateway") == true)
        try await eventually("the first is removed") { try await other.names() == [other.name] }
        await other.untilLeader()
        try await increment(second)
        let counter = try await second.store(for: .app).document(at: DocumentPath("counters/one"))
        #expect(counter?.fields["n"] == .integer(3))
        await first.close()
        await second.close()
    }

    @Test("A process that starts again has the name of the one before, which cannot commit any more")
    func successor() async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let first = try member(url)
        let name = try #require(first.membership?.name)
        try await increment(first)
        let second = try member(url, formerly: name)
        #expect(second.membership?.name == name)
        await #expect(throws: StoreError.self) { try await increment(first) }
        try await increment(second)
        await first.close()
        // Its end does not concern the place of the second one.
        try await Task.sleep(for: .seconds(1))
        #expect(second.membership?.isHeld == true)
        try await increment(second)
        await second.close()
    }
}
