import Testing

@testable import DocumentStore

@Suite("SQLite: declared indexes")
struct FieldIndexTests {
    private static let names = ["a", "b", "c", "d", "e"]

    private static func index(_ field: String, _ type: FieldIndex.ValueType = .string) -> FieldIndex {
        FieldIndex(collectionGroup: "t", field: FieldPath(field), type: type)
    }

    /// Documents `t/0` to `t/9`, each with its id in every field, and a document of another collection.
    private func fill(_ store: SQLiteDocumentStore) async throws {
        for number in 0..<10 {
            let fields = Self.names.map { ($0, Value.string("\(number)")) }
            try await store.set("t/\(number)", Fields(fields))
        }
        try await store.set("u/x", ["a": .string("3")])
    }

    private func query(_ field: String) -> Query {
        Query.collectionGroup("t").where(FieldPath(field), .greaterThan, .string("6"))
    }

    /// Expects that the index of a column answers a query by the field.
    private func expect(_ column: String, serves field: String, _ engine: SQLiteEngine) async throws {
        let plan = try await engine.plan(of: query(field), in: .gateway).joined()
        #expect(plan.contains("USING INDEX documents_by_\(column) ("), "\(field): \(plan)")
        #expect(try await engine.store(for: .gateway).ids(query(field)) == ["7", "8", "9"])
    }

    private let trees = """
        SELECT name || rootpage FROM sqlite_schema WHERE name GLOB 'documents_by_value*' ORDER BY name
        """
    private let slots = "SELECT collection || ' ' || field || ' ' || type || ' ' || slot FROM field_indexes ORDER BY 1"

    @Test("A declared index keeps its column in any order of declaration and loses it when removed")
    func synchronization() async throws {
        let fixture = try SQLiteFixture()
        let text = FieldIndex(
            collectionGroup: "it's \"x\"", field: FieldPath(segments: ["a b", "it's"]), type: .string)
        var (seen, rows): ([[String]], [[String]]) = ([], [])
        for indexes in [
            [Self.index("a"), Self.index("b"), text], [text, Self.index("b"), Self.index("a")], [text], [],
        ] {
            let engine = try fixture.open(fieldIndexes: indexes)
            seen.append(try await engine.onWriter(trees))
            rows.append(try await engine.texts(slots))
            await engine.close()
        }
        #expect(seen.map(\.count) == [2, 2, 1, 0])
        #expect(seen[0] == seen[1] && seen[0][0] == seen[2][0])
        let names = ["it's \"x\" `a b`.`it's` stringValue 1", "t a stringValue 1", "t b stringValue 2"]
        #expect(rows == [names, names, [names[0]], []])
    }

    @Test("A new index includes the existing documents")
    func added() async throws {
        let fixture = try SQLiteFixture()
        let first = try fixture.open()
        try await fill(first.store(for: .gateway))
        await first.close()
        let engine = try fixture.open(fieldIndexes: [Self.index("a")])
        try await expect("value1", serves: "a", engine)
        #expect(try await engine.staleRows([Self.index("a")]) == [])
        await engine.close()
    }

    @Test("A new index of all types includes the existing documents, and serves every comparison")
    func allTypes() async throws {
        let fixture = try SQLiteFixture()
        let first = try fixture.open()
        try await fill(first.store(for: .gateway))
        try await first.store(for: .gateway).set("t/n", ["a": .integer(7)])
        _ = try await first.onWriter("UPDATE documents SET fields = 'no JSON' WHERE document = '8'")
        await first.close()
        let index = FieldIndex(collectionGroup: "t", field: "a")
        let engine = try fixture.open(fieldIndexes: [index])
        #expect(try await engine.columns(of: "8") == ["NULL"])
        let store = engine.store(for: .gateway)
        let group = Query.collectionGroup("t")
        let queries: [(Query, [String])] = [
            (query("a"), ["7", "9"]), (group.where("a", .equal, .double(7)), ["n"]),
            (group.where("a", .in, .array([.integer(7), .string("1")])), ["1", "n"]),
            (group.ordered(by: "a").limited(to: 2), ["n", "0"]),
        ]
        for (query, ids) in queries {
            let plan = try await engine.plan(of: query, in: .gateway).joined()
            #expect(plan.contains("USING INDEX documents_by_value1 ("), "\(plan)")
            #expect(try await store.ids(query) == ids)
        }
        await engine.close()
    }

    @Test("A collection group has one column for each declared index")
    func many() async throws {
        let fixture = try SQLiteFixture()
        let first = try fixture.open(fieldIndexes: [Self.index("a")])
        try await fill(first.store(for: .gateway))
        await first.close()
        let indexes = Self.names.map { Self.index($0) }
        let engine = try fixture.open(fieldIndexes: indexes)
        #expect(engine.slots.count == 5)
        for (number, name) in Self.names.enumerated() {
            try await expect("value\(number + 1)", serves: name, engine)
        }
        try await engine.store(for: .gateway).set("t/new", ["e": .string("60")])
        #expect(try await engine.staleRows(indexes) == [])
        await engine.close()
    }

    @Test("A removed index frees its column for the next one, and queries by its field still work")
    func dropped() async throws {
        let fixture = try SQLiteFixture()
        let first = try fixture.open(fieldIndexes: [Self.index("a"), Self.index("b"), Self.index("c")])
        try await fill(first.store(for: .gateway))
        await first.close()

        let second = try fixture.open(fieldIndexes: [Self.index("c")])
        #expect(try await second.columns(of: "7") == ["NULL", "NULL", "'7'"])
        try await expect("value3", serves: "c", second)
        #expect(try await second.store(for: .gateway).ids(query("a")) == ["7", "8", "9"])
        // An insert opens the table, the two indexes of all documents, and this index.
        #expect(try await second.writtenTrees(second.slots.sql.insert) == 4)
        await second.close()

        let indexes = [Self.index("c"), Self.index("d"), Self.index("a")]
        let third = try fixture.open(fieldIndexes: indexes)
        for (column, field) in [("value1", "d"), ("value2", "a"), ("value3", "c")] {
            try await expect(column, serves: field, third)
        }
        #expect(try await third.staleRows(indexes) == [])
        await third.close()
    }

    @Test("An index whose type changes is rebuilt")
    func changedType() async throws {
        let fixture = try SQLiteFixture()
        let first = try fixture.open(fieldIndexes: [Self.index("a")])
        let store = first.store(for: .gateway)
        try await store.set("t/text", ["a": .string("2024")])
        try await store.set("t/time", ["a": .timestamp(Timestamp(microseconds: 1))])
        #expect(try await first.columns(of: "text") == ["'2024'"])
        await first.close()
        let second = try fixture.open(fieldIndexes: [Self.index("a", .timestamp)])
        #expect(try await second.columns(of: "text") == ["NULL"])
        #expect(try await second.columns(of: "time") == ["'1970-01-01T00:00:00.000001Z'"])
        let after = Query.collectionGroup("t").where("a", .greaterThan, .timestamp(.distantPast))
        #expect(try await second.store(for: .gateway).ids(after) == ["time"])
        await second.close()
    }

    @Test("An unreadable document does not prevent building a new index")
    func damaged() async throws {
        let fixture = try SQLiteFixture()
        let first = try fixture.open()
        try await fill(first.store(for: .gateway))
        _ = try await first.onWriter("UPDATE documents SET fields = 'no JSON' WHERE document = '8'")
        await first.close()
        let engine = try fixture.open(fieldIndexes: [Self.index("a")])
        #expect(try await engine.columns(of: "8") == ["NULL"])
        #expect(try await engine.store(for: .gateway).ids(query("a")) == ["7", "9"])
        await engine.close()
    }

    @Test("An opening that fails half-way leaves columns, values and indexes unchanged")
    func interrupted() async throws {
        let fixture = try SQLiteFixture()
        let first = try fixture.open(fieldIndexes: [Self.index("a")])
        try await fill(first.store(for: .gateway))
        let before = try await first.onWriter(trees) + first.onWriter(slots)
        _ = try await first.onWriter(
            """
            CREATE TRIGGER stop BEFORE UPDATE ON documents WHEN new.value2 IS NOT NULL
            BEGIN SELECT RAISE(ABORT, 'stop'); END
            """)
        await first.close()
        await expectError(.internal) { try fixture.open(fieldIndexes: [Self.index("b"), Self.index("c")]) }
        _ = try SQLiteEngine.run("DROP TRIGGER stop", onFile: fixture.path)
        let again = try fixture.open(fieldIndexes: [Self.index("a")])
        #expect(try await again.onWriter(trees) + again.onWriter(slots) == before)
        try await expect("value1", serves: "a", again)
        await again.close()
    }

    @Test("An index on a field that SQLite cannot express is refused")
    func impossible() async throws {
        let fixture = try SQLiteFixture()
        for field in ["a\"b", "a\\b", "a\u{1}", "", "__a__"] {
            let index = FieldIndex(collectionGroup: "t", field: FieldPath(field), type: .string)
            await expectError(.invalidArgument) { try fixture.open(fieldIndexes: [index]) }
        }
    }
}
