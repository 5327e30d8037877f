import DocumentStore
import Testing

/// Ids such as `__id7__`, which come before all others, in the order of their numbers.
@Suite("Conformance: numeric ids")
struct NumericIDOrderTests {
    private static let least = "__id-9223372036854775808__"
    private static let ids = ["__id-2__", "__id7__", "__id12__", "12", "7", "A", "__id7"]

    private func withDocuments(
        _ engine: Engine, _ body: (any DocumentStore, Query) async throws -> Void
    ) async throws {
        try await engine.withStore(.app) { store async throws in
            for (place, id) in Self.ids.enumerated().reversed() {
                let fields: Fields = ["place": .integer(Int64(place)), "same": .boolean(true)]
                try await store.set("t/\(id)", fields)
                try await store.set("u/\(id)/t/x", fields)
            }
            try await body(store, .collection(CollectionPath("t")))
        }
    }

    private func name(_ path: String, _ store: any DocumentStore) throws -> Value {
        .reference(try DocumentPath(path).name(in: store.database))
    }

    @Test("Queries, their limits and watches have them first, in both directions", arguments: Engine.all)
    func queries(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            #expect(try await store.ids(all) == Self.ids)
            #expect(try await store.ids(all.limited(to: 4)) == Array(Self.ids.prefix(4)))
            let descending = all.ordered(by: .documentName, .descending)
            #expect(try await store.ids(descending) == Self.ids.reversed())
            #expect(try await store.ids(descending.limited(to: 5)) == Array(Self.ids.reversed().prefix(5)))
            let same = all.where("same", .equal, .boolean(true))
            #expect(try await store.ids(same) == Self.ids)
            #expect(try await store.ids(same.ordered(by: "same", .descending)) == Self.ids.reversed())
            for (place, id) in Self.ids.enumerated() {
                #expect(try await store.fields("t/\(id)")?["place"] == .integer(Int64(place)))
            }
            var watch = store.watch(all.limited(to: 3)).makeAsyncIterator()
            #expect(try await watch.next()?.documents.map(\.path.id) == Array(Self.ids.prefix(3)))
            _ = try await store.commit([.delete(DocumentPath("t/__id7__")), .set(DocumentPath("t/__id8__"), [:])])
            #expect(try await watch.next()?.documents.map(\.path.id) == ["__id-2__", "__id8__", "__id12__"])
        }
    }

    @Test("Cursors and filters by name compare their numbers", arguments: Engine.all)
    func names(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            let byName = all.ordered(by: .documentName)
            for (place, id) in Self.ids.enumerated() {
                let name = try name("t/\(id)", store)
                let (before, after) = (Array(Self.ids[..<place]), Array(Self.ids[(place + 1)...]))
                for isAfter in [false, true] {
                    var (start, end) = (byName, byName)
                    start.start = Cursor([name], isAfter: isAfter)
                    end.end = Cursor([name], isAfter: isAfter)
                    #expect(try await store.ids(start) == (isAfter ? after : [id] + after))
                    #expect(try await store.ids(end) == (isAfter ? before + [id] : before))
                }
                #expect(try await store.ids(all.where(.documentName, .greaterThanOrEqual, name)) == [id] + after)
                #expect(try await store.ids(all.where(.documentName, .lessThan, name)) == before)
                #expect(try await store.ids(all.where(.documentName, .equal, name)) == [id])
                #expect(try await store.ids(all.where(.documentName, .notEqual, name)) == before + after)
            }
            let names = try ["7", "__id12__", "__id-2__", "__id3__"].map { try name("t/\($0)", store) }
            #expect(
                try await store.ids(all.where(.documentName, .in, .array(names))) == ["__id-2__", "__id12__", "7"])
            var between = byName
            between.start = Cursor([try name("t/__id3__", store)], isAfter: false)
            between.end = Cursor([try name("t/__id100__", store)], isAfter: false)
            #expect(try await store.ids(between) == ["__id7__", "__id12__"])
            #expect(
                try await store.ids(all.where(.documentName, .greaterThanOrEqual, name("t/\(Self.least)", store)))
                    == Self.ids)
        }
    }

    @Test("Groups of collections and collections of any id have them first on each level", arguments: Engine.all)
    func groups(engine: Engine) async throws {
        try await withDocuments(engine) { store, _ async throws in
            let paths = Self.ids.map { "t/\($0)" } + Self.ids.map { "u/\($0)/t/x" }
            func found(_ query: Query) async throws -> [String] {
                try await store.documents(matching: query).map(\.path.description)
            }
            #expect(try await found(.collectionGroup("t")) == paths)
            #expect(try await found(.descendants(of: nil)) == paths)
            #expect(
                try await found(.collectionGroup("t").ordered(by: .documentName, .descending)) == paths.reversed())
            #expect(try await found(.collectionGroup("t").limited(to: 9)) == Array(paths.prefix(9)))
            let below = try DocumentPath("u/__id7__")
            #expect(try await found(.collectionGroup("t", below: below)) == ["u/__id7__/t/x"])
            #expect(try await found(.children(of: below)) == ["u/__id7__/t/x"])
            #expect(try await store.collectionIDs(below: below) == ["t"])
            // The range of a collection with all that is below it, by which clients delete recursively.
            let range = Query.descendants(of: nil)
                .where(.documentName, .greaterThanOrEqual, try name("t/\(Self.least)", store))
                .where(.documentName, .lessThan, try name("t\u{0}/\(Self.least)", store))
            #expect(try await found(range) == Self.ids.map { "t/\($0)" })
        }
    }

    @Test("Lists, page by page, have them first, missing documents included", arguments: Engine.all)
    func lists(engine: Engine) async throws {
        try await withDocuments(engine) { store, _ async throws in
            for (collection, isMissing) in [("t", false), ("u", true)] {
                for size in 1...8 {
                    var (seen, last): ([String], String?) = ([], nil)
                    while true {
                        let page = try await store.listing(
                            of: CollectionPath(collection), after: last, limit: size, projection: nil)
                        #expect(page.allSatisfy { ($0.document == nil) == isMissing })
                        seen += page.map(\.path.id)
                        guard page.count == size else { break }
                        last = page.last?.path.id
                    }
                    #expect(seen == Self.ids)
                }
            }
        }
    }

    @Test("References as values are in this order, alone, in arrays and in maps", arguments: Engine.all)
    func references(engine: Engine) async throws {
        try await engine.withStore(.app) { store async throws in
            let references = try Self.ids.map { try name("c/\($0)", store) }
            for (place, reference) in references.enumerated().reversed() {
                let fields: Fields = [
                    "alone": reference, "array": .array([.integer(1), reference]), "map": .map(["in": reference]),
                ]
                try await store.set("t/\(place)", fields)
                try await store.set("indexed/\(place)", fields)
            }
            let all = references.indices.map { "\($0)" }
            for collection in ["t", "indexed"] {
                let query = Query.collection(try CollectionPath(collection))
                for field in ["alone", "array", "map", "map.in"] {
                    let path = try FieldPath(parsing: field)
                    #expect(try await store.ids(query.ordered(by: path)) == all, "\(field)")
                    #expect(try await store.ids(query.ordered(by: path, .descending)) == all.reversed(), "\(field)")
                }
                for (place, reference) in references.enumerated() {
                    let (upTo, after) = (Array(all[...place]), Array(all[(place + 1)...]))
                    #expect(try await store.ids(query.where("alone", .lessThanOrEqual, reference)) == upTo)
                    #expect(try await store.ids(query.where("alone", .greaterThan, reference)) == after)
                    #expect(try await store.ids(query.where("array", .arrayContains, reference)) == ["\(place)"])
                    var rest = query.ordered(by: "map")
                    rest.start = Cursor([.map(["in": reference])], isAfter: true)
                    #expect(try await store.ids(rest) == after)
                }
            }
        }
    }

    @Test("An earlier state has them first", arguments: Engine.all)
    func snapshots(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            let time = try await store.presentTime()
            _ = try await store.commit(Self.ids.map { .delete(try DocumentPath("t/\($0)")) })
            #expect(try await store.ids(all) == [])
            let past = try await store.snapshot(at: time)
            #expect(try await past.documents(matching: all).map(\.path.id) == Self.ids)
            #expect(try await past.document(at: DocumentPath("t/__id7__"))?["place"] == .integer(1))
        }
    }

    @Test(
        "Lists, cursors and transfers go on with names that only earlier versions accepted", arguments: Engine.all)
    func earlierNames(engine: Engine) async throws {
        try await engine.withStore(.app) { store async throws in
            let ids = ["__id-0__", "__id07__", "__id0__", "a"]
            let paths = ids.map { DocumentPath(unchecked: "t/\($0)") }
            _ = try await store.commit(paths.map { .set($0, [:]) })
            var listed: [String] = []
            for _ in ids {
                let page = try await store.listing(
                    of: CollectionPath("t"), after: listed.last, limit: 1, projection: nil)
                listed += page.map(\.path.id)
            }
            #expect(listed == ids)
            for (place, path) in paths.enumerated() {
                var rest = Query.collection(try CollectionPath("t")).ordered(by: .documentName)
                rest.start = Cursor([.reference(path.name(in: store.database))], isAfter: true)
                #expect(try await store.ids(rest) == Array(ids[(place + 1)...]))
            }
            let reference = Value.reference("\(store.database)/documents/__id7__/__id0__")
            await expectError(.invalidArgument) { try await store.set("t/b", ["f": reference]) }
            _ = try await store.commitTransferred([.set(DocumentPath("t/b"), ["f": .array([reference])])])
            #expect(try await store.fields("t/b") == ["f": .array([reference])])
            let reserved = Value.reference("\(store.database)/documents/__x__/a")
            await expectError(.invalidArgument) {
                try await store.commitTransferred([.set(DocumentPath("t/c"), ["f": reserved])])
            }
        }
    }

    @Test(
        "Other numbers, and collections with such ids, are refused",
        arguments: Engine.all,
        ["__id0__", "__id-0__", "__id07__", "__id9223372036854775808__", "__id-9223372036854775809__"])
    func refusals(engine: Engine, id: String) async throws {
        try await engine.withStore(.app) { store async throws in
            await expectError(.invalidArgument) { try await store.set("t/\(id)") }
            await expectError(.invalidArgument) { try await store.set("__id7__/a") }
            await expectError(.invalidArgument) { try await store.set("t/a/__id7__/b") }
            await expectError(.invalidArgument) { try await store.documents(matching: .collectionGroup("__id7__")) }
            let reference = Value.reference("\(store.database)/documents/t/\(id)")
            await expectError(.invalidArgument) { try await store.set("t/a", ["f": reference]) }
            await expectError(.invalidArgument) {
                try await store.documents(
                    matching: .collection(CollectionPath("t")).where(.documentName, .equal, reference))
            }
            #expect(try await store.count(.descendants(of: nil)) == 0)
        }
    }
}
