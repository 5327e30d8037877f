import Testing

@testable import DocumentStore

@Suite("SQLite: files with names of the earlier form", .timeLimit(.minutes(1)))
struct NameUpgradeTests {
    private let rows = "SELECT group_concat(hex(path) || fields, '|') FROM (SELECT * FROM documents ORDER BY id)"
    private let entries = """
        SELECT of_database || of_parent || field || hex(key) || ' ' || document_id FROM field_entries ORDER BY 1
        """

    /// Writes such a file, and returns the time of its first state.
    private func write(_ fixture: SQLiteFixture, isAutomatic: Bool) async throws -> Timestamp {
        let engine = try fixture.open(
            fieldIndexes: isAutomatic ? [] : EarlierNames.committedIndexes, indexed: isAutomatic ? [.app] : [])
        let first = try await EarlierNames.commit(to: engine.store(for: .app))
        await engine.close()
        _ = try SQLiteEngine.run(EarlierNames.sqlite, onFile: fixture.path)
        return first
    }

    private func open(_ fixture: SQLiteFixture, isAutomatic: Bool) throws -> SQLiteEngine {
        try fixture.open(fieldIndexes: isAutomatic ? [] : EarlierNames.indexes, indexed: isAutomatic ? [.app] : [])
    }

    @Test(
        "Names, earlier states and indexes are brought to the present form when a file is opened",
        arguments: [false, true])
    func upgrade(isAutomatic: Bool) async throws {
        let fixture = try SQLiteFixture()
        let first = try await write(fixture, isAutomatic: isAutomatic)
        let engine = try open(fixture, isAutomatic: isAutomatic)
        let store = engine.store(for: .app)
        try await EarlierNames.expectUpgraded(store, first: first)
        if !isAutomatic { #expect(try await engine.staleRows(EarlierNames.indexes) == []) }
        // The same documents, written by this version, have the same entries.
        let upgraded = try await engine.texts(entries)
        #expect(upgraded.isEmpty == !isAutomatic)
        for document in try await store.documents(matching: .descendants(of: nil)) {
            _ = try await store.commit([.set(document.path, [:])])
            _ = try await store.commit([.set(document.path, document.fields)])
        }
        #expect(try await engine.texts(entries) == upgraded)
        await engine.close()
        let again = try open(fixture, isAutomatic: isAutomatic)
        #expect(try await again.store(for: .app).ids(.collection(CollectionPath("t"))) == EarlierNames.ids)
        await again.close()
    }

    @Test("A failed upgrade leaves the file unchanged, and the next opening completes it", arguments: [false, true])
    func interrupted(isAutomatic: Bool) async throws {
        let fixture = try SQLiteFixture()
        let first = try await write(fixture, isAutomatic: isAutomatic)
        let before = try SQLiteEngine.run(rows, onFile: fixture.path)
        let earlier = try SQLiteEngine.run(entries, onFile: fixture.path)
        _ = try SQLiteEngine.run(
            "CREATE TRIGGER stop BEFORE UPDATE ON documents BEGIN SELECT RAISE(ABORT, 'stop'); END",
            onFile: fixture.path)
        await expectError(.internal) { try open(fixture, isAutomatic: isAutomatic) }
        #expect(try SQLiteEngine.run(rows, onFile: fixture.path) == before)
        #expect(try SQLiteEngine.run(entries, onFile: fixture.path) == earlier)
        _ = try SQLiteEngine.run("DROP TRIGGER stop", onFile: fixture.path)
        let engine = try open(fixture, isAutomatic: isAutomatic)
        try await EarlierNames.expectUpgraded(engine.store(for: .app), first: first)
        await engine.close()
    }

    @Test("A file without such names keeps its rows, and a backup of the earlier form is upgraded after it is restored")
    func others() async throws {
        let plain = try SQLiteFixture()
        let engine = try plain.open(indexed: [.app])
        // Not a reference: it has no numeric id below a collection.
        try await engine.store(for: .app).set("t/x__id7__", ["id": .string("__id7__")])
        await engine.close()
        _ = try SQLiteEngine.run(
            """
            DELETE FROM grdb_migrations WHERE identifier = '6 numeric ids';
            CREATE TRIGGER stop BEFORE UPDATE ON documents BEGIN SELECT RAISE(ABORT, 'stop'); END;
            CREATE TRIGGER keep BEFORE DELETE ON field_entries BEGIN SELECT RAISE(ABORT, 'keep'); END
            """, onFile: plain.path)
        let opened = try plain.open(indexed: [.app])
        #expect(try await opened.store(for: .app).fields("t/x__id7__") == ["id": .string("__id7__")])
        await opened.close()

        let fixture = try SQLiteFixture()
        let first = try await write(fixture, isAutomatic: true)
        let backup = try StoreBackup.make(of: fixture.path, to: fixture.directory.file("backup"), files: { _ in })
        let restored = try SQLiteFixture()
        try backup.restoreDocuments(to: restored.path)
        let copy = try open(restored, isAutomatic: true)
        try await EarlierNames.expectUpgraded(copy.store(for: .app), first: first)
        await copy.close()
    }
}
