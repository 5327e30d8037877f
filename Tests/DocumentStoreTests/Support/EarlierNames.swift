import Testing

@testable import DocumentStore

/// Documents whose names had another form in the tables of earlier versions. They are committed under other names,
/// which statements then replace by those of the earlier form.
enum EarlierNames {
    /// The ids of the documents in `t`, in order.
    static let ids = ["__id7__", "__id12__", "\u{0}", "\u{1}", "7", "A", "x\u{0}", "x\u{1}"]
    private static let committed = ["p7", "p12", "pNULL", "pONE", "7", "A", "xpNULL", "xpONE"]
    private static let references = ["c/p7", "c/p12", "c/7", "c/A"]

    /// The declared indexes: of references, and of a group with such a name.
    static let indexes = declared(in: "g\u{0}")
    static let committedIndexes = declared(in: "gpNULL")

    private static func declared(in group: String) -> [FieldIndex] {
        [FieldIndex(collectionGroup: "r", field: "ref"), FieldIndex(collectionGroup: group, field: "n")]
    }

    /// Commits the documents twice, and returns the time of the first state, in which each place is 100 more.
    static func commit(to store: any DocumentStore) async throws -> Timestamp {
        let first = try await store.commit(writes(places: 100, in: store.database)).commitTime
        _ = try await store.commit(writes(places: 0, in: store.database))
        return first
    }

    private static func writes(places: Int64, in database: DatabaseID) throws -> [Write] {
        var writes = try [
            Write.set(DocumentPath("t/p7/s/x"), [:]), .set(DocumentPath("u/p12/s/x"), [:]),
            .set(DocumentPath("gpNULL/a"), ["n": .integer(1)]),
        ]
        for (place, id) in committed.enumerated() {
            writes.append(.set(try DocumentPath("t/\(id)"), ["place": .integer(places + Int64(place))]))
        }
        for (place, path) in references.enumerated() {
            let reference = Value.reference(try DocumentPath(path).name(in: database))
            writes.append(.set(try DocumentPath("r/\(place)"), ["ref": reference, "list": .array([reference])]))
        }
        return writes
    }

    // MARK: Statements

    private static let columns = ["parent", "collection", "document", "fields"]

    /// Statements that replace the names in SQLite's tables.
    static let sqlite = [
        update("documents", columns, sqliteEscape), update("versions", columns, sqliteEscape),
        update("field_entries", ["of_parent"], sqliteEscape), update("field_indexes", ["collection"], sqliteEscape),
        "DELETE FROM grdb_migrations WHERE identifier = '6 numeric ids'",
    ].joined(separator: ";\n")

    /// Statements that replace the names in PostgreSQL's tables.
    static let postgreSQL = [
        update("documents", columns, serverEscape), update("changes", columns, serverEscape),
        update("entries", ["scope", "parent", "document"], serverEscape),
        update("field_indexes", ["collection"], serverEscape), "UPDATE pushgate_schema SET version = 1",
    ].joined(separator: ";\n")

    private static func sqliteEscape(_ mark: Int) -> String { "char(1, \(mark))" }

    private static func serverEscape(_ mark: Int) -> String { "chr(1) || chr(\(mark))" }

    private static func update(_ table: String, _ columns: [String], _ escape: (Int) -> String) -> String {
        let changes = columns.map { column in
            let numeric = "replace(replace(\(column), 'p7', '__id7__'), 'p12', '__id12__')"
            return "\(column) = replace(replace(\(numeric), 'pNULL', \(escape(2))), 'pONE', \(escape(3)))"
        }
        return "UPDATE \(table) SET \(changes.joined(separator: ", "))"
    }

    // MARK: Expectations

    /// Expects that the documents are found by their names, in order, now and in the first state.
    static func expectUpgraded(_ store: any DocumentStore, first: Timestamp) async throws {
        let all = Query.collection(try CollectionPath("t"))
        #expect(try await store.ids(all) == ids)
        let past = try await store.snapshot(at: first)
        #expect(try await past.documents(matching: all).map(\.path.id) == ids)
        for (place, id) in ids.enumerated() {
            let path = try DocumentPath("t/\(id)")
            #expect(try await store.document(at: path)?["place"] == .integer(Int64(place)))
            #expect(try await past.document(at: path)?["place"] == .integer(100 + Int64(place)))
        }
        let below = try await store.documents(matching: .collectionGroup("s")).map(\.path.description)
        #expect(below == ["t/__id7__/s/x", "u/__id12__/s/x"])
        let missing = try await store.listing(of: CollectionPath("u"), after: nil, limit: 5, projection: nil)
        #expect(missing.map(\.path.id) == ["__id12__"])
        #expect(try await store.collectionIDs(below: nil) == ["g\u{0}", "r", "t", "u"])
        let group = Query.collection(try CollectionPath("g\u{0}"))
        #expect(try await store.ids(group.where("n", .equal, .integer(1))) == ["a"])
        try await expectReferences(store)
    }

    private static func expectReferences(_ store: any DocumentStore) async throws {
        let query = Query.collection(try CollectionPath("r"))
        let all = ["0", "1", "2", "3"]
        #expect(try await store.ids(query.ordered(by: "ref")) == all)
        #expect(try await store.ids(query.ordered(by: "ref").limited(to: 2)) == ["0", "1"])
        #expect(try await store.ids(query.ordered(by: "list", .descending)) == all.reversed())
        for (place, id) in ["__id7__", "__id12__", "7", "A"].enumerated() {
            let reference = Value.reference(try DocumentPath("c/\(id)").name(in: store.database))
            #expect(try await store.ids(query.where("ref", .equal, reference)) == ["\(place)"])
            #expect(try await store.ids(query.where("list", .arrayContains, reference)) == ["\(place)"])
            #expect(try await store.ids(query.where("ref", .greaterThan, reference)) == Array(all[(place + 1)...]))
        }
    }
}
