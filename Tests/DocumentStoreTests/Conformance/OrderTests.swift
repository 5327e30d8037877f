import DocumentStore
import Testing

@Suite("Conformance: orders, cursors and limits")
struct OrderTests {
    /// Documents `t/a` to `t/f`, with f = 2, 1, 2, missing, "x", 3 and g = 0, 1, 2, 3, 4, 5.
    private func withDocuments(_ engine: Engine, _ body: (any DocumentStore, Query) async throws -> Void) async throws {
        try await engine.withStore { store in
            let values: [Value?] = [.integer(2), .integer(1), .integer(2), nil, .string("x"), .integer(3)]
            for (index, (id, value)) in zip("abcdef", values).enumerated() {
                var fields: Fields = ["g": .integer(Int64(index))]
                fields["f"] = value
                try await store.set("t/\(id)", fields)
            }
            try await body(store, .collection(CollectionPath("t")))
        }
    }

    @Test("An order leaves out documents without its field and breaks ties by name", arguments: Engine.all)
    func orders(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            #expect(try await store.ids(all.ordered(by: "f")) == ["b", "a", "c", "f", "e"])
            #expect(try await store.ids(all.ordered(by: "f", .descending)) == ["e", "f", "c", "a", "b"])
            #expect(
                try await store.ids(all.ordered(by: "f").ordered(by: "g", .descending)) == ["b", "c", "a", "f", "e"])
            #expect(
                try await store.ids(all.ordered(by: "f").ordered(by: .documentName, .descending)) == [
                    "b", "c", "a", "f", "e",
                ])
        }
    }

    @Test("An inequality orders by its field and leaves out documents without it", arguments: Engine.all)
    func impliedOrder(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            #expect(try await store.ids(all.where("f", .greaterThan, .integer(0))) == ["b", "a", "c", "f"])
            let descending = all.where("f", .greaterThan, .integer(0)).ordered(by: "g", .descending)
            #expect(try await store.ids(descending) == ["f", "c", "b", "a"])
            var either = all
            either.filter = .or([.field("f", .greaterThan, .integer(2)), .field("g", .equal, .integer(3))])
            #expect(try await store.ids(either) == ["f"])
        }
    }

    @Test("Values of all types are in Firestore's order", arguments: Engine.all)
    func types(engine: Engine) async throws {
        let sorted: [Value] = [
            .null, .boolean(false), .boolean(true), .double(.nan), .double(-.infinity), .integer(.min), .integer(-1),
            .integer(0), .double(0.5), .integer(1), .double(.infinity), .timestamp(.distantPast), .timestamp(.now),
            .string(""), .string("Z"), .string("a"), .bytes([]), .bytes([0]), .bytes([0, 0]), .bytes([1]),
            .reference("projects/p/databases/d/documents/a/b"), .reference("projects/p/databases/d/documents/a!/b"),
            .geoPoint(latitude: -1, longitude: 5), .geoPoint(latitude: -1, longitude: 6), .array([]), .array([.null]),
            .array([.null, .null]), .array([.boolean(false)]), .map([:]), .map(["a": .null]),
            .map(["a": .null, "b": .null]), .map(["a": .integer(1)]), .map(["b": .null]),
        ]
        try await engine.withStore { store in
            let writes = try sorted.indices.shuffled().map { index in
                Write.set(
                    try DocumentPath("t/\(sorted.count - index)"),
                    ["f": sorted[index], "place": .integer(Int64(index))])
            }
            _ = try await store.commit(writes)
            let documents = try await store.documents(matching: .collection(CollectionPath("t")).ordered(by: "f"))
            #expect(documents.map { $0["place"]?.integer } == sorted.indices.map { Int64($0) })
        }
    }

    @Test("A cursor starts or ends a query before or after its position", arguments: Engine.all)
    func cursors(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            var query = all.ordered(by: "f")
            query.start = Cursor([.integer(2)], isAfter: false)
            #expect(try await store.ids(query) == ["a", "c", "f", "e"])
            query.start = Cursor([.integer(2)], isAfter: true)
            #expect(try await store.ids(query) == ["f", "e"])
            query = query.ordered(by: .documentName)
            query.start = Cursor([.integer(2), .reference(try DocumentPath("t/a").name(in: .gateway))], isAfter: true)
            #expect(try await store.ids(query) == ["c", "f", "e"])
            query.end = Cursor([.string("x")], isAfter: false)
            #expect(try await store.ids(query) == ["c", "f"])
            query.end = Cursor([.string("x")], isAfter: true)
            #expect(try await store.ids(query) == ["c", "f", "e"])
        }
    }

    @Test("A cursor follows the direction of the order", arguments: Engine.all)
    func descendingCursors(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            var query = all.ordered(by: "f", .descending)
            query.start = Cursor([.integer(2)], isAfter: false)
            #expect(try await store.ids(query) == ["c", "a", "b"])
            query.end = Cursor([.integer(2)], isAfter: true)
            #expect(try await store.ids(query) == ["c", "a"])
        }
    }

    @Test("A collection can be read page by page in the order of names", arguments: Engine.all)
    func pages(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            var seen: [String] = []
            var page = all.ordered(by: .documentName).limited(to: 4)
            while true {
                let documents = try await store.documents(matching: page)
                guard let last = documents.last else { break }
                seen += documents.map(\.path.id)
                page.start = Cursor([.reference(last.path.name(in: .gateway))], isAfter: true)
            }
            #expect(seen == ["a", "b", "c", "d", "e", "f"])
        }
    }

    @Test("A cursor has values for the named orders only, and a reference for the name", arguments: Engine.all)
    func cursorValues(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            func name(_ path: String) throws -> Value { .reference(try DocumentPath(path).name(in: .gateway)) }
            let named = all.ordered(by: .documentName)
            let notReference = "Cursor __key__ value is not a document reference."
            let refused: [(Query, [Value], String)] = [
                (all, [try name("t/b")], "Cursor has too many values."),
                (all.ordered(by: "f"), [.integer(1), try name("t/b")], "Cursor has too many values."),
                (all.where("f", .greaterThan, .integer(0)), [.integer(1)], "Cursor has too many values."),
                (named, [.string("b")], notReference),
            ]
            for (query, values, message) in refused {
                for isAfter in [true, false] {
                    var start = query
                    start.start = Cursor(values, isAfter: isAfter)
                    var end = query
                    end.end = Cursor(values, isAfter: isAfter)
                    for query in [start, end] {
                        let error = await expectError(.invalidArgument) {
                            try await store.documents(matching: query)
                        }
                        #expect(error?.message == message)
                    }
                }
            }
            for (position, ids) in [("t/c0", "def"), ("s/z", "abcdef"), ("t/c/u/x", "def")] {
                var query = named
                query.start = Cursor([try name(position)], isAfter: false)
                #expect(try await store.ids(query).joined() == ids)
            }
            var whole = all
            whole.start = Cursor([], isAfter: true)
            #expect(try await store.ids(whole).joined() == "abcdef")
        }
    }

    @Test("The position of a cursor may be of any type", arguments: Engine.all)
    func cursorTypes(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            var query = all.where("f", .greaterThan, .integer(0)).ordered(by: "f")
            for (value, ids) in [(Value.boolean(false), "bacf"), (Value.double(.nan), "bacf"), (Value.string("s"), "")]
            {
                query.start = Cursor([value], isAfter: false)
                #expect(try await store.ids(query).joined() == ids)
            }
            query = all.ordered(by: "f").ordered(by: "g")
            query.start = Cursor([.integer(2)], isAfter: false)
            query.end = Cursor([.string("x")], isAfter: false)
            #expect(try await store.ids(query).joined() == "acf")
            query.start = Cursor([.integer(2), .integer(1)], isAfter: false)
            #expect(try await store.ids(query).joined() == "cf")
        }
    }

    @Test("An order occurs once, and none follows the name", arguments: Engine.all)
    func refusedOrders(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            let after = "order by clause cannot contain more fields after the key"
            let rows: [(Query, String)] = [
                (
                    all.ordered(by: "f").ordered(by: "f", .descending),
                    "order by clause cannot contain duplicate fields f"
                ),
                (all.ordered(by: .documentName).ordered(by: "f"), after),
                (all.ordered(by: .documentName).ordered(by: .documentName), after),
                (all.where("f", .greaterThan, .integer(0)).ordered(by: .documentName), after),
                (all.limited(to: -1), "limit is negative"),
            ]
            for (query, message) in rows {
                let error = await expectError(.invalidArgument) { try await store.documents(matching: query) }
                #expect(error?.message == message)
            }
        }
    }

    @Test("Inequalities on several fields order by their paths, and then by name", arguments: Engine.all)
    func inequalities(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            let both = all.where("g", .greaterThan, .integer(0)).where("f", .greaterThan, .integer(0))
            #expect(try await store.ids(both).joined() == "bcf")
            let name = Value.reference(try DocumentPath("t/b").name(in: .gateway))
            let named = all.where(.documentName, .greaterThanOrEqual, name).where("f", .greaterThan, .integer(0))
            #expect(try await store.ids(named).joined() == "bcf")
            #expect(try await store.ids(all.where("f", .isNotNull).ordered(by: "g", .descending)).joined() == "fecba")
        }
    }

    @Test("An alternative that is never true does not order", arguments: Engine.all)
    func impossibleAlternative(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            var either = all
            either.filter = .or([.field("f", .greaterThan, .integer(0)), .field("missing", .greaterThan, .null)])
            let some = try await store.ids(all.where("f", .greaterThan, .integer(0)))
            #expect(!some.isEmpty)
            #expect(try await store.ids(either) == some)
            let impossible = all.where("f", .greaterThan, .double(.nan)).ordered(by: .documentName)
            #expect(try await store.ids(impossible).isEmpty)
            let onlyNull = all.where("f", .notIn, .array([.null])).ordered(by: .documentName)
            #expect(try await store.ids(onlyNull).isEmpty)
        }
    }

    @Test(
        "Null beside other values to exclude leaves the field an order, which cannot follow the name",
        arguments: Engine.all)
    func nullAmongExcluded(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            let query = all.where("f", .notIn, .array([.boolean(false), .null]))
            #expect(try await store.ids(query).isEmpty)
            await expectError(.invalidArgument) { try await store.ids(query.ordered(by: .documentName)) }
        }
    }

    @Test("Offset and limit cut the result of a query", arguments: Engine.all)
    func limits(engine: Engine) async throws {
        try await withDocuments(engine) { store, all async throws in
            var query = all.limited(to: 2)
            query.offset = 3
            #expect(try await store.ids(query) == ["d", "e"])
            #expect(try await store.ids(all.limited(to: 0)) == [])
            query.limit = nil
            query.offset = 10
            #expect(try await store.ids(query) == [])
        }
    }

    @Test("A projection returns only its fields, with unchanged times", arguments: Engine.all)
    func projection(engine: Engine) async throws {
        try await engine.withStore { store in
            let fields: Fields = ["a": .integer(1), "m": .map(["x": .integer(1), "y": .integer(2)])]
            let time = try await store.commit([.set(DocumentPath("t/d"), fields)]).commitTime
            var query = Query.collection(try CollectionPath("t"))
            query.projection = [FieldPath(segments: ["m", "y"]), "none"]
            let document = try #require(try await store.documents(matching: query).first)
            #expect(document.fields == ["m": .map(["y": .integer(2)])])
            #expect(document.updateTime == time)
            query.projection = []
            #expect(try await store.documents(matching: query).map(\.fields) == [[:]])
        }
    }
}
