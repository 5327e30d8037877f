import Testing

@testable import DocumentStore

@Suite("SQLite: the columns of indexes")
struct IndexedValueTests {
    private static let indexes = [
        FieldIndex(collectionGroup: "t", field: "name", type: .string),
        FieldIndex(collectionGroup: "t", field: "at", type: .timestamp),
        FieldIndex(collectionGroup: "t", field: FieldPath(segments: ["map", "on"]), type: .boolean),
        FieldIndex(collectionGroup: "u", field: "other", type: .string),
    ]
    private static let path = DocumentPath(unchecked: "t/a")
    private static let noon = Value.timestamp(Timestamp(microseconds: 1_714_564_800_000_000))

    /// Returns the columns of the document after the commits.
    private func columns(after commits: [[Write]]) async throws -> [String] {
        let engine = try SQLiteFixture().open(fieldIndexes: Self.indexes)
        for writes in commits { _ = try await engine.store(for: .gateway).commit(writes) }
        let columns = try await engine.columns(of: "a")
        #expect(try await engine.staleRows(Self.indexes) == [])
        await engine.close()
        return columns
    }

    private static let whole = Write.set(
        path, ["name": .string("it's"), "at": noon, "map": .map(["on": .boolean(true)]), "other": .string("no")])

    @Test("A new document has its values of the declared types in the index columns, at any depth")
    func insert() async throws {
        #expect(try await columns(after: [[Self.whole]]) == ["'it''s'", "'2024-05-01T12:00:00.000000Z'", "1"])
        #expect(try await columns(after: [[.set(Self.path, [:])]]) == ["NULL", "NULL", "NULL"])
    }

    @Test("An index of all types has the sort key of each value, and nothing for a missing field")
    func keys() async throws {
        let index = FieldIndex(collectionGroup: "t", field: FieldPath(segments: ["map", "on"]))
        let engine = try SQLiteFixture().open(fieldIndexes: [index])
        let store = engine.store(for: .gateway)
        for value in [Value.null, .integer(3), .double(3), .string("a\u{0}"), .array([.boolean(true)]), .map([:])] {
            _ = try await store.commit([.set(Self.path, ["map": .map(["on": value])])])
            let key = SortKey(value).bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
            #expect(try await engine.columns(of: "a") == ["X'\(key.joined())'"])
        }
        _ = try await store.commit([.set(Self.path, ["map": .integer(1)])])
        #expect(try await engine.columns(of: "a") == ["NULL"])
        await engine.close()
    }

    @Test("A document has only the index columns of its own collection")
    func otherGroup() async throws {
        let write = Write.set(
            DocumentPath(unchecked: "u/a"), ["name": .string("no"), "other": .string("x"), "at": Self.noon])
        #expect(try await columns(after: [[write]]) == ["'x'", "NULL", "NULL"])
        let none = Write.set(DocumentPath(unchecked: "v/a"), ["name": .string("no"), "other": .string("x")])
        #expect(try await columns(after: [[none]]) == ["NULL", "NULL", "NULL"])
    }

    @Test("A changed value or type of a field updates its index column")
    func update() async throws {
        let changed = Write.set(
            Self.path, ["name": Self.noon, "at": .timestamp(.distantPast), "map": .map(["on": .boolean(false)])])
        #expect(
            try await columns(after: [[Self.whole], [changed]]) == ["NULL", "'0001-01-01T00:00:00.000000Z'", "0"])
        #expect(
            try await columns(after: [[Self.whole], [changed], [Self.whole]])
                == ["'it''s'", "'2024-05-01T12:00:00.000000Z'", "1"])
    }

    @Test("A merge or a transform changes only the index columns of its fields")
    func merge() async throws {
        let merge = Write.merge(Self.path, ["name": .string("b")])
        #expect(
            try await columns(after: [[Self.whole], [merge]]) == ["'b'", "'2024-05-01T12:00:00.000000Z'", "1"])
        let transform = Write.merge(
            Self.path, [:], mask: ["map"], transforms: [FieldTransform("at", .serverTime)])
        #expect(
            try await columns(after: [[Self.whole], [transform]])
                == ["'it''s'", "'2024-05-01T12:00:00.000001Z'", "NULL"])
    }

    @Test("Several writes of one commit leave the index columns of the last one")
    func together() async throws {
        let merge = Write.merge(Self.path, ["name": .string("b")])
        #expect(
            try await columns(after: [[Self.whole, .delete(Self.path), merge]]) == ["'b'", "NULL", "NULL"])
        #expect(
            try await columns(after: [[Self.whole], [merge, .merge(Self.path, ["at": .null])]])
                == ["'b'", "NULL", "1"])
        #expect(try await columns(after: [[Self.whole], [.delete(Self.path)]]) == [])
    }

    @Test("Texts in index columns are compared by bytes and stay unchanged in the fields")
    func texts() async throws {
        let engine = try SQLiteFixture().open(fieldIndexes: Self.indexes)
        let store = engine.store(for: .gateway)
        for text in ["\u{E9}", "e\u{301}", "a\u{0}b", "a\u{1}b", "", "\"\\\n"] {
            try await store.set("t/a", ["name": .string(text)])
            #expect(try await engine.staleRows(Self.indexes) == [])
            let query = Query.collectionGroup("t").where("name", .equal, .string(text))
            #expect(try await store.ids(query) == ["a"])
        }
        await engine.close()
    }

    @Test("Only a write that changes an indexed value opens an index")
    func statements() async throws {
        let engine = try SQLiteFixture().open(fieldIndexes: Self.indexes)
        // The table counts as one tree, and each of the three indexes over values as another.
        #expect(try await engine.writtenTrees(SQL.updateDocument) == 1)
        #expect(try await engine.writtenTrees(engine.slots.sql.update) == 4)
        #expect(try await engine.writtenTrees(engine.slots.sql.insert) == 6)

        _ = try await engine.onWriter(
            """
            CREATE TABLE updates (document TEXT);
            CREATE TRIGGER of_values AFTER UPDATE OF value1, value2, value3 ON documents
            BEGIN INSERT INTO updates VALUES (new.document); END
            """)
        let store = engine.store(for: .gateway)
        _ = try await store.commit([Self.whole])
        _ = try await store.commit([.merge(Self.path, ["n": .integer(1)])])
        try await store.set("v/b", ["n": .integer(1)])
        try await store.set("v/b", ["n": .integer(2)])
        #expect(try await engine.onWriter("SELECT count(*) FROM updates") == ["0"])
        _ = try await store.commit([.merge(Self.path, ["name": .string("b")])])
        #expect(try await engine.onWriter("SELECT count(*) FROM updates") == ["1"])
        await engine.close()
    }

    @Test("An index column changed by hand is corrected by the next write of its document")
    func changedByHand() async throws {
        let engine = try SQLiteFixture().open(fieldIndexes: Self.indexes)
        let store = engine.store(for: .gateway)
        _ = try await store.commit([Self.whole])
        _ = try await engine.onWriter("UPDATE documents SET value1 = 7, value2 = 'soon', value3 = 'on'")
        _ = try await store.commit([.merge(Self.path, ["n": .integer(1)])])
        #expect(try await engine.staleRows(Self.indexes) == [])
        await engine.close()
    }

    @Test("An unreadable document can be set and deleted")
    func unreadable() async throws {
        let engine = try SQLiteFixture().open(fieldIndexes: Self.indexes)
        let store = engine.store(for: .gateway)
        _ = try await store.commit([Self.whole])
        _ = try await engine.onWriter("UPDATE documents SET fields = 'no JSON'")
        try await store.set("t/a", ["name": .string("b")])
        #expect(try await engine.staleRows(Self.indexes) == [])
        _ = try await engine.onWriter("UPDATE documents SET fields = 'no JSON'")
        _ = try await store.commit([.delete(Self.path)])
        #expect(try await store.ids(.collectionGroup("t")) == [])
        await engine.close()
    }
}
