import TestDoubles
import Testing

@testable import DocumentStore

@Suite("SQLite: automatic indexes")
struct AutomaticIndexTests {
    private let entries = """
        SELECT of_parent || ' ' || field || ' ' || document FROM field_entries \
        JOIN documents ON documents.id = document_id ORDER BY 1
        """
    private let all = """
        SELECT of_database || of_parent || field || hex(key) || ' ' || document_id FROM field_entries ORDER BY 1
        """

    private func users() throws -> Query { .collection(try CollectionPath("users")) }

    /// Documents `users/0` to `users/19`, whose age is their id and whose name is the same for all but one.
    private func fill(_ store: SQLiteDocumentStore) async throws {
        for number in 0..<20 {
            let name = number == 7 ? "seven" : "other"
            let tags = [Value.string("t\(number % 5)"), .string("all")]
            try await store.set(
                "users/\(number)", ["age": .integer(Int64(number)), "name": .string(name), "tags": .array(tags)])
        }
        try await store.set("users/7/users/x", ["name": .string("seven")])
    }

    @Test("A document has an entry for each field, at any depth, and for each element of an array")
    func contents() async throws {
        let engine = try SQLiteFixture().open(indexed: [.app])
        let store = engine.store(for: .app)
        try await store.set(
            "users/a",
            [
                "name": .string("n"), "a.b": .null, "tags": .array([.integer(1), .integer(2), .double(1)]),
                "map": .map(["in": .map(["x": .integer(1)])]), "place": .vector([1, 2]),
            ])
        let names = ["`a.b`", "map", "map.in", "map.in.x", "name", "place", "tags", "tags[]", "tags[]"]
        #expect(try await engine.texts(entries) == names.map { "users \($0) a" })
        _ = try await store.commit([.merge(DocumentPath("users/a"), ["name": .string("m")], mask: ["name", "map"])])
        #expect(try await engine.texts(entries).count == 6)
        _ = try await store.commit([.delete(DocumentPath("users/a"))])
        #expect(try await engine.texts(entries) == [])
        try await engine.store(for: .gateway).set("users/a", ["name": .string("n")])
        #expect(try await engine.texts(entries) == [], "another database")
        await engine.close()
    }

    @Test("Filters read the entries of a value, a list, an element or a range, and the order those of its first field")
    func plans() async throws {
        let engine = try SQLiteFixture().open(indexed: [.app])
        let store = engine.store(for: .app)
        try await fill(store)
        let primary = "field_entries USING PRIMARY KEY (of_database=? AND of_parent=? AND field=?"
        let users = try users()
        let age = users.ordered(by: "age")
        let cases: [(query: Query, steps: [String], ids: [String])] = [
            (users.where("name", .equal, .string("seven")), ["\(primary) AND key=?)"], ["7"]),
            (users.where("name", .in, .array([.string("seven"), .null])), ["\(primary) AND key=?)"], ["7"]),
            (users.where("tags", .arrayContains, .string("t3")), ["\(primary) AND key=?)"], ["13", "18", "3", "8"]),
            (users.where("age", .greaterThan, .integer(17)), ["\(primary) AND key>? AND key<?)"], ["18", "19"]),
            (age.limited(to: 2), ["\(primary))", "RIGHT PART OF ORDER BY"], ["0", "1"]),
            (
                age.where("age", .greaterThanOrEqual, .integer(5)).limited(to: 1),
                ["\(primary) AND key>? AND key<?)", "RIGHT PART"], ["5"]
            ),
            (users.ordered(by: "age", .descending).limited(to: 1), ["\(primary))", "RIGHT PART"], ["19"]),
        ]
        for (query, steps, ids) in cases {
            let plan = try await engine.plan(of: query, in: .app).joined(separator: "\n")
            for step in steps { #expect(plan.contains(step), "\(plan)") }
            #expect(plan.contains("documents USING INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
            #expect(!plan.contains("SCAN"), "\(plan)")
            #expect(try await store.ids(query) == ids)
        }
        await engine.close()
    }

    @Test("A condition on one value has fewer candidates than a range; each part of an OR needs an index")
    func choice() async throws {
        let engine = try SQLiteFixture().open(indexed: [.app])
        let store = engine.store(for: .app)
        try await fill(store)
        let seven = Filter.field("name", .equal, .string("seven"))
        let old = Filter.field("age", .greaterThan, .integer(18))
        var both = try users().where("age", .greaterThan, .integer(3)).where("name", .equal, .string("seven"))
        both = both.ordered(by: "age").limited(to: 5)
        #expect(try await engine.plan(of: both, in: .app).joined().contains("field=? AND key=?)"))
        #expect(try await store.ids(both) == ["7"])
        var either = try users()
        either.filter = .or([seven, old])
        let plan = try await engine.plan(of: either, in: .app).joined()
        #expect(plan.contains("UNION ALL") && plan.contains("rowid=?"), "\(plan)")
        #expect(try await store.ids(either) == ["7", "19"])
        either.filter = .or([seven, .field("age", .notEqual, .integer(0))])
        #expect(try await engine.plan(of: either, in: .app).joined().contains("documents_by_path"))
        #expect(try await store.ids(either).count == 19)
        await engine.close()
    }

    @Test("With a limit, a condition with many candidates gives way to one with few, or to the order of the result")
    func many() async throws {
        let engine = try SQLiteFixture().open(indexed: [.app])
        let store = engine.store(for: .app)
        for start in stride(from: 0, to: 1_200, by: 300) {
            let writes = try (start..<start + 300).map { number in
                let fields: Fields = [
                    "open": .boolean(true), "age": .integer(Int64(number)), "kind": .integer(Int64(number % 400)),
                ]
                return Write.set(try DocumentPath("users/\(10_000 + number)"), fields)
            }
            _ = try await store.commit(writes)
        }
        let open = try users().where("open", .equal, .boolean(true))
        func plan(_ query: Query) async throws -> String {
            try await engine.plan(of: query, in: .app).joined(separator: "\n")
        }
        #expect(try await plan(open).contains("AND key=?)"), "all are asked for")
        #expect(try await plan(open.limited(to: 2)).contains("documents_by_path"))
        #expect(try await store.ids(open.limited(to: 2)) == ["10000", "10001"])
        let oldest = open.ordered(by: "age", .descending).limited(to: 2)
        #expect(try await plan(oldest).contains("RIGHT PART OF ORDER BY"))
        #expect(try await store.ids(oldest) == ["11199", "11198"])
        let rare = open.where("kind", .equal, .integer(399)).ordered(by: "age").limited(to: 2)
        #expect(try await plan(rare).contains("AND key=?)"))
        #expect(try await store.ids(rare) == ["10399", "10799"])
        await engine.close()
    }

    @Test("An OR of as many parts as a query may have reads the documents in the order of their names")
    func parts() async throws {
        let engine = try SQLiteFixture().open(indexed: [.app])
        try await fill(engine.store(for: .app))
        var query = try users()
        query.filter = .or(Array(repeating: .field("age", .equal, .integer(3)), count: 100))
        #expect(try await engine.store(for: .app).ids(query) == ["3"])
        await engine.close()
    }

    @Test(
        "A document with too many entries is refused alone, and one that has them already keeps the database closed",
        arguments: [
            ("too many index entries", ["list": .array((0..<40_000).map { .integer($0) })]),
            (
                "an index entry of",
                ["a": .nested(["b", "c", "d", "e", "f", "g"].map { String(repeating: $0, count: 1_500) })]
            ),
            (
                "too large index entries",
                [
                    String(repeating: "m", count: 1_400): .map(
                        Fields((0..<7_000).map { ("f\($0)", .null) }))
                ]
            ),
        ] as [(String, Fields)])
    func limits(problem: String, fields: Fields) async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open(indexed: [.app])
        let store = engine.store(for: .app)
        async let other: Void = store.set("users/b", ["f": .integer(1)])
        let error = await #expect(throws: StoreError.self) { try await store.set("users/a", fields) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
        try await other
        #expect(try await engine.texts(entries) == ["users f b"])
        await engine.close()

        let without = try fixture.open()
        try await without.store(for: .app).set("users/a", fields)
        await without.close()
        let refusal = #expect(throws: StoreError.self) { try fixture.open(indexed: [.app]) }
        #expect(refusal?.code == .failedPrecondition)
        #expect(refusal?.message.contains("users/a would have \(problem)") == true, "\(refusal?.message ?? "")")
        let again = try fixture.open()
        try await again.store(for: .app).set("users/a", [:])
        await again.close()
        await (try fixture.open(indexed: [.app])).close()
    }

    @Test("The entry in a declared index over a group of collections counts too, with its 48 bytes")
    func declared() async throws {
        let fixture = try SQLiteFixture()
        // In the document `users/a` the field has an entry of 7,681 bytes in the index over the group, and one of 7,665
        // in the collection's own.
        let names = [1_500, 1_500, 1_500, 1_500, 1_500, 95].map { String(repeating: "m", count: $0) }
        let field = FieldPath(segments: names)
        var fields: Fields = [:]
        fields.set(.integer(1), at: field)
        let index = FieldIndex(collectionGroup: "users", field: field)
        let engine = try fixture.open(fieldIndexes: [index], indexed: [.app])
        let error = await #expect(throws: StoreError.self) {
            try await engine.store(for: .app).set("users/a", fields)
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("an index entry of 7681 bytes") == true, "\(error?.message ?? "")")
        try await engine.store(for: .app).set("others/a", fields)
        await engine.close()

        let without = try fixture.open()
        try await without.store(for: .app).set("users/a", fields)
        await without.close()
        let refusal = #expect(throws: StoreError.self) { try fixture.open(fieldIndexes: [index], indexed: [.app]) }
        #expect(refusal?.code == .failedPrecondition)
        #expect(refusal?.message.contains("an index entry of 7681 bytes") == true, "\(refusal?.message ?? "")")
        await (try fixture.open(indexed: [.app])).close()
    }

    @Test("A query without the setting, for a group or for an earlier state does not use the entries")
    func others() async throws {
        let engine = try SQLiteFixture().open(indexed: [.app])
        try await fill(engine.store(for: .app))
        let query = try users().where("name", .equal, .string("seven"))
        #expect(!(try await engine.plan(of: query, in: .gateway).joined().contains("field_entries")))
        let group = Query.collectionGroup("users").where("name", .equal, .string("seven"))
        #expect(!(try await engine.plan(of: group, in: .app).joined().contains("field_entries")))
        let store = engine.store(for: .app)
        #expect(try await store.ids(group) == ["7", "x"])
        let time = try await store.commit([.delete(DocumentPath("users/8"))]).commitTime
        _ = try await store.commit([.delete(DocumentPath("users/7"))])
        let past = try await store.snapshot(at: time)
        #expect(try await past.documents(matching: query).map(\.path.id) == ["7"])
        #expect(try await store.ids(query) == [])
        await engine.close()
    }

    @Test("Opening writes the entries of a database that gets the setting, and removes them when it loses it")
    func setting() async throws {
        let fixture = try SQLiteFixture()
        var generator = SeededGenerator(seed: 5)
        let first = try fixture.open(indexed: [.app])
        let store = first.store(for: .app)
        for number in 0..<100 {
            try await store.set("t/\(number % 60)", generator.fields(["f", "g", "h", "a.b"]))
            if number % 7 == 0 { _ = try await store.commit([.delete(DocumentPath("t/\(number / 2)"))]) }
        }
        let written = try await first.texts(all)
        #expect(written.count > 150)
        await first.close()
        let without = try fixture.open()
        #expect(try await without.texts(all) == [])
        await without.close()
        let again = try fixture.open(indexed: [.app])
        #expect(try await again.texts(all) == written)
        await again.close()
    }

    @Test("A document whose fields cannot be read has no entries, and can be deleted or replaced")
    func unreadable() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open(indexed: [.app])
        let store = engine.store(for: .app)
        try await fill(store)
        _ = try await engine.onWriter("UPDATE documents SET fields = 'no' WHERE document IN ('3', '7')")
        _ = try await store.commit([.delete(DocumentPath("users/7"))])
        try await store.set("users/3", ["name": .string("seven")])
        #expect(try await store.ids(users().where("name", .equal, .string("seven"))) == ["3"])
        #expect(try await engine.texts(entries).count == 18 * 5 + 1 + 1)
        _ = try await engine.onWriter("UPDATE documents SET fields = 'no' WHERE document = '4'")
        await engine.close()
        await (try fixture.open()).close()
        let again = try fixture.open(indexed: [.app])
        #expect(try await again.texts(entries).count == 17 * 5 + 1 + 1)
        await again.close()
    }

    @Test("The entries of a removed database are deleted with its documents")
    func removal() async throws {
        let engine = try SQLiteFixture().open(indexed: [.app])
        let store = engine.store(for: .app)
        let fields = Fields((0..<30).map { ("f\($0)", Value.integer(Int64($0))) })
        for number in 0..<20 { try await store.set("t/\(number)", fields) }
        try await engine.removeAll(from: .app)
        try await store.set("t/new", ["f1": .integer(1)])
        #expect(try await store.ids(.collection(CollectionPath("t")).where("f1", .equal, .integer(1))) == ["new"])
        for _ in 0..<1_000 where try await engine.texts(all).count != 1 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try await engine.texts(all).count == 1)
        await engine.close()
    }
}

extension Value {
    /// Returns a number in a map for each name.
    fileprivate static func nested(_ names: [String]) -> Value {
        names.reversed().reduce(.integer(1)) { .map([$1: $0]) }
    }
}
