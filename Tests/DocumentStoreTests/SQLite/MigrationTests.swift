import Testing

@testable import DocumentStore

@Suite("SQLite: files with expression indexes")
struct MigrationTests {
    private static let settled = Query.collectionGroup("chunks")
        .where("settledAt", .lessThan, .timestamp(.distantFuture)).ordered(by: "settledAt")
    private static let queued = Query.collectionGroup("chunks").where("queue", .greaterThan, .string("apns"))
    private static let accepted = Query.collectionGroup("messages")
        .where("acceptedAt", .lessThan, .timestamp(.distantFuture)).ordered(by: "acceptedAt", .descending)

    private let expressions = "SELECT name FROM sqlite_schema WHERE name LIKE 'field:%'"

    private func expectMigrated(_ engine: SQLiteEngine) async throws {
        #expect(try await engine.onWriter(expressions) == [])
        #expect(try await engine.staleRows(EarlierFile.indexes) == [])
        let store = engine.store(for: DatabaseID(project: "pushgate"))
        for (query, column, ids) in [
            (Self.settled, "value1", ["0"]), (Self.queued, "value2", ["1"]), (Self.accepted, "value1", ["m1"]),
        ] {
            let plan = try await engine.plan(of: query, in: store.database).joined()
            #expect(plan.contains("USING INDEX documents_by_\(column) (database=? AND collection=? AND "), "\(plan)")
            #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
            #expect(try await store.ids(query) == ids)
        }
        #expect(try await engine.store(for: DatabaseID(project: "other")).ids(Self.accepted) == ["m2"])
    }

    @Test("A file with expression indexes is migrated to columns when it is opened, and stays usable")
    func migration() async throws {
        let fixture = try SQLiteFixture()
        try EarlierFile.write(to: fixture.path)
        let engine = try fixture.open(fieldIndexes: EarlierFile.indexes)
        try await expectMigrated(engine)
        let store = engine.store(for: DatabaseID(project: "pushgate"))
        let path = try DocumentPath("messages/m1/chunks/1")
        let settled = Value.timestamp(Timestamp(microseconds: 1_714_564_900_000_000))
        _ = try await store.commit([.merge(path, ["settledAt": settled], mask: ["queue", "settledAt"])])
        #expect(try await store.ids(Self.settled) == ["0", "1"])
        #expect(try await store.ids(Self.queued) == [])
        #expect(try await store.fields("agents/a1") == ["queue": .string("no")])
        await engine.close()
        let again = try fixture.open(fieldIndexes: EarlierFile.indexes)
        #expect(try await again.staleRows(EarlierFile.indexes) == [])
        #expect(try await again.store(for: store.database).ids(Self.settled) == ["0", "1"])
        await again.close()
    }

    @Test("A failed migration leaves the file unchanged, and the next opening completes it")
    func interrupted() async throws {
        let fixture = try SQLiteFixture()
        try EarlierFile.write(to: fixture.path)
        let documents = """
            SELECT group_concat(path || created_at || updated_at || fields, '|') FROM documents ORDER BY id
            """
        let before = try SQLiteEngine.run(documents, onFile: fixture.path)
        _ = try SQLiteEngine.run(
            "CREATE TRIGGER stop BEFORE UPDATE ON documents BEGIN SELECT RAISE(ABORT, 'stop'); END",
            onFile: fixture.path)
        await expectError(.internal) { try fixture.open(fieldIndexes: EarlierFile.indexes) }
        #expect(try SQLiteEngine.run(documents, onFile: fixture.path) == before)
        let columns = "SELECT name FROM pragma_table_info('documents') WHERE name GLOB 'value*'"
        #expect(try SQLiteEngine.run(columns, onFile: fixture.path) == [])
        #expect(try SQLiteEngine.run("SELECT * FROM field_indexes", onFile: fixture.path) == [])

        _ = try SQLiteEngine.run("DROP TRIGGER stop", onFile: fixture.path)
        let engine = try fixture.open(fieldIndexes: EarlierFile.indexes)
        try await expectMigrated(engine)
        await engine.close()
    }

    @Test("A file with expression indexes opens with other declared indexes")
    func otherIndexes() async throws {
        let fixture = try SQLiteFixture()
        try EarlierFile.write(to: fixture.path)
        let source = FieldIndex(collectionGroup: "messages", field: "source", type: .string)
        let engine = try fixture.open(fieldIndexes: [source])
        #expect(try await engine.onWriter(expressions) == [])
        #expect(try await engine.staleRows([source]) == [])
        let store = engine.store(for: DatabaseID(project: "pushgate"))
        #expect(try await store.ids(Self.settled) == ["0"])
        #expect(try await store.ids(.collectionGroup("messages").where("source", .equal, .string("a"))) == ["m1"])
        await engine.close()
    }
}
