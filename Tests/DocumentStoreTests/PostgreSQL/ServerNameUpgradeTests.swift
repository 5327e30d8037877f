import Logging
import PostgreSQLStore
import TestBasics
import Testing

@testable import DocumentStore

@Suite(
    "PostgreSQL: tables with names of the earlier form", .enabled(if: PostgreSQLServer.isInstalled),
    .timeLimit(.minutes(2)))
struct ServerNameUpgradeTests {
    private let entries = """
        SELECT scope || ' ' || field || ' ' || encode(key, 'hex') || ' ' || parent || '/' || document FROM entries \
        ORDER BY 1
        """

    private func open(_ url: String, _ indexes: [FieldIndex], isAutomatic: Bool) throws -> PostgreSQLEngine {
        try PostgreSQLEngine(
            PostgreSQLStoreConfiguration(
                url: url, connections: 3, fieldIndexes: indexes, indexesFields: { _ in isAutomatic }, isMember: true),
            logger: Logger(label: "test"))
    }

    /// Makes such tables, and returns their URL and the time of their first state.
    private func makeTables(isAutomatic: Bool) async throws -> (url: String, first: Timestamp) {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let engine = try open(url, EarlierNames.committedIndexes, isAutomatic: isAutomatic)
        let first = try await EarlierNames.commit(to: engine.store(for: .app))
        await engine.close()
        try PostgreSQLEngine.run(EarlierNames.postgreSQL, at: url)
        return (url, first)
    }

    @Test(
        "One of the engines that start together brings names, earlier states and entries to the present form",
        arguments: [false, true])
    func upgrade(isAutomatic: Bool) async throws {
        let (url, first) = try await makeTables(isAutomatic: isAutomatic)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    let engine = try open(url, EarlierNames.indexes, isAutomatic: isAutomatic)
                    try await EarlierNames.expectUpgraded(engine.store(for: .app), first: first)
                    await engine.close()
                }
            }
            try await group.waitForAll()
        }
        let engine = try open(url, EarlierNames.indexes, isAutomatic: isAutomatic)
        #expect(try await engine.texts("SELECT version::text FROM pushgate_schema") == ["2"])
        #expect(try await engine.texts("SELECT 'left' WHERE to_regclass('renamed') IS NOT NULL") == [])
        // The same documents, written by this version, have the same entries.
        let (upgraded, store) = (try await engine.texts(entries), engine.store(for: .app))
        #expect(!upgraded.isEmpty)
        for document in try await store.documents(matching: .descendants(of: nil)) {
            _ = try await store.commit([.set(document.path, [:])])
            _ = try await store.commit([.set(document.path, document.fields)])
        }
        #expect(try await engine.texts(entries) == upgraded)
        await engine.close()
    }

    @Test("A failed upgrade leaves the tables unchanged, and the next engine completes it")
    func interrupted() async throws {
        let (url, first) = try await makeTables(isAutomatic: true)
        try PostgreSQLEngine.run(
            "ALTER TABLE changes ADD CONSTRAINT stop CHECK (document NOT LIKE chr(1) || chr(2) || '8%')", at: url)
        #expect(throws: StoreError.self) { try open(url, EarlierNames.indexes, isAutomatic: true) }
        try PostgreSQLEngine.run(
            """
            DO $$ BEGIN
                ASSERT (SELECT version FROM pushgate_schema) = 1;
                ASSERT EXISTS (SELECT FROM documents WHERE document = '__id7__');
                ASSERT EXISTS (SELECT FROM entries);
                ASSERT (SELECT bool_and(indexed) FROM databases);
            END $$
            """, at: url)
        try PostgreSQLEngine.run("ALTER TABLE changes DROP CONSTRAINT stop", at: url)
        let engine = try open(url, EarlierNames.indexes, isAutomatic: true)
        try await EarlierNames.expectUpgraded(engine.store(for: .app), first: first)
        await engine.close()
    }

    @Test("Entries stay as they are in a database whose texts look like numeric ids")
    func lookalikes() async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let transactions = "SELECT xmin::text FROM entries ORDER BY 1"
        let engine = try open(url, [], isAutomatic: true)
        _ = try await engine.store(for: .app).commit([.set(DocumentPath("t/x"), ["id": .string("__id7__")])])
        let before = try await engine.texts(transactions)
        #expect(!before.isEmpty)
        await engine.close()
        try PostgreSQLEngine.run("UPDATE pushgate_schema SET version = 1", at: url)
        let opened = try open(url, [], isAutomatic: true)
        #expect(try await opened.texts(transactions) == before)
        #expect(try await opened.texts("SELECT version::text FROM pushgate_schema") == ["2"])
        await opened.close()
    }

    @Test("Tables stay as they are while gateways of the earlier version use them, and change when the last has ended")
    func livingMembers() async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let member = PostgreSQLStoreConfiguration(url: url, connections: 2, isMember: true, leaseLength: .seconds(3))
        let earlier = try PostgreSQLEngine(member, logger: Logger(label: "test"))
        let first = try await EarlierNames.commit(to: earlier.store(for: .app))
        // It does not look at the version again, as one of the earlier version.
        try PostgreSQLEngine.run(EarlierNames.postgreSQL, at: url)
        let refused = #expect(throws: StoreError.self) { try open(url, EarlierNames.indexes, isAutomatic: true) }
        #expect(refused?.code == .failedPrecondition)
        #expect(refused?.message.contains("stop all of its gateways") == true)
        #expect(try await earlier.texts("SELECT version::text FROM pushgate_schema") == ["1"])
        let unchanged = "SELECT document FROM documents WHERE document = '__id7__'"
        #expect(try await earlier.texts(unchanged) == ["__id7__"])
        #expect(earlier.membership?.isHeld == true)
        await earlier.close()
        let engine = try open(url, EarlierNames.indexes, isAutomatic: true)
        try await EarlierNames.expectUpgraded(engine.store(for: .app), first: first)
        await engine.close()
    }

    @Test("A member that does not renew its place delays no upgrade, and cannot commit after it")
    func stalledMember() async throws {
        let (url, first) = try await makeTables(isAutomatic: true)
        try PostgreSQLEngine.run(
            "INSERT INTO members (name, number, renewals, has_left) VALUES ('stalled', 1000, 7, false)", at: url)
        let engine = try open(url, EarlierNames.indexes, isAutomatic: true)
        try await EarlierNames.expectUpgraded(engine.store(for: .app), first: first)
        let name = try #require(engine.membership?.name)
        #expect(try await engine.texts("SELECT name FROM members") == [name])
        await engine.close()
    }
}
