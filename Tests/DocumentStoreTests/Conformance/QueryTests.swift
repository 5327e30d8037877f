import DocumentStore
import Testing

@Suite("Conformance: queries")
struct QueryTests {
    /// Documents `t/a`, `t/b`, … with one value each in the field `f`; `nil` stands for a document without the field.
    private func withValues(
        _ engine: Engine, _ values: [Value?], _ body: (any DocumentStore, Query) async throws -> Void
    ) async throws {
        try await engine.withStore { store in
            let collection = try CollectionPath("t")
            for (id, value) in zip("abcdefghijklmnopqrstuvwxyz", values) {
                try await store.set("t/\(id)", value.map { ["f": $0] } ?? [:])
            }
            try await body(store, .collection(collection))
        }
    }

    @Test(
        "A collection is ordered by the bytes of names and excludes subcollections and neighbours",
        arguments: Engine.all)
    func nameOrder(engine: Engine) async throws {
        try await engine.withStore { store in
            let ids = ["é", "a", "B", "a\u{1}", "a\u{0}", "😀", "a!", "\u{FFFD}", "10", "9", "aa"]
            for id in ids { try await store.set("t/\(id)") }
            for path in ["t/a/u/x", "u/a", "t2/a", "t/none/t/b"] { try await store.set(path) }
            let expected = ["10", "9", "B", "a", "a\u{0}", "a\u{1}", "a!", "aa", "é", "\u{FFFD}", "😀"]
            #expect(try await store.ids(.collection(CollectionPath("t"))) == expected)
            let descending = Query.collection(try CollectionPath("t")).ordered(by: .documentName, .descending)
            #expect(try await store.ids(descending) == expected.reversed())
        }
    }

    @Test(
        "A collection group is ordered by whole paths and can be limited to one document's descendants",
        arguments: Engine.all)
    func groups(engine: Engine) async throws {
        try await engine.withStore { store in
            for path in ["d/x", "d/b/d/y", "a/1/d/z", "a/1!/d/w", "a/1/c/2/d/v", "a/2/d/u", "a/1/e/t"] {
                try await store.set(path)
            }
            #expect(try await store.ids(.collectionGroup("d")) == ["v", "z", "w", "u", "y", "x"])
            #expect(try await store.ids(.collectionGroup("d", below: DocumentPath("a/1"))) == ["v", "z"])
            #expect(try await store.ids(.collectionGroup("d", below: DocumentPath("d/b"))) == ["y"])
            #expect(try await store.ids(.collectionGroup("d", below: DocumentPath("d/x"))) == [])
        }
    }

    @Test("A range matches only values of its constant's type, and no NaN", arguments: Engine.all)
    func ranges(engine: Engine) async throws {
        let values: [Value?] = [
            .integer(1), .double(2.5), .integer(3), .string("2"), .null, nil, .boolean(true), .double(.nan),
        ]
        try await withValues(engine, values) { store, all async throws in
            #expect(try await store.ids(all.where("f", .lessThan, .integer(3))) == ["a", "b"])
            #expect(try await store.ids(all.where("f", .lessThanOrEqual, .double(.infinity))) == ["a", "b", "c"])
            #expect(try await store.ids(all.where("f", .greaterThanOrEqual, .double(2.5))) == ["b", "c"])
            #expect(try await store.ids(all.where("f", .greaterThan, .double(.nan))) == [])
            #expect(try await store.ids(all.where("f", .lessThanOrEqual, .string("2"))) == ["d"])
            #expect(try await store.ids(all.where("f", .greaterThan, .boolean(false))) == ["g"])
            #expect(try await store.ids(all.where("f", .lessThan, .bytes([255]))) == [])
        }
    }

    @Test("Equality compares numbers by value, and matches neither null nor NaN", arguments: Engine.all)
    func equality(engine: Engine) async throws {
        let values: [Value?] = [
            .integer(1), .double(1), .double(.nan), .null, nil, .integer(.max), .double(0x1p63), .double(-0.0),
        ]
        try await withValues(engine, values) { store, all async throws in
            #expect(try await store.ids(all.where("f", .equal, .integer(1))) == ["a", "b"])
            #expect(try await store.ids(all.where("f", .equal, .double(.nan))) == [])
            #expect(try await store.ids(all.where("f", .equal, .null)) == [])
            #expect(try await store.ids(all.where("f", .isNaN)) == ["c"])
            #expect(try await store.ids(all.where("f", .isNull)) == ["d"])
            #expect(try await store.ids(all.where("f", .equal, .integer(.max))) == ["f"])
            #expect(try await store.ids(all.where("f", .equal, .double(0x1p63))) == ["g"])
            #expect(try await store.ids(all.where("f", .equal, .integer(0))) == ["h"])
        }
    }

    @Test("Inequality leaves out null and missing fields and includes other types", arguments: Engine.all)
    func inequality(engine: Engine) async throws {
        let values: [Value?] = [.integer(1), .string("1"), .null, nil, .integer(2)]
        try await withValues(engine, values) { store, all async throws in
            #expect(try await store.ids(all.where("f", .notEqual, .integer(1))) == ["e", "b"])
            #expect(try await store.ids(all.where("f", .notEqual, .null)) == [])
            #expect(try await store.ids(all.where("f", .isNotNull)) == ["a", "e", "b"])
            #expect(try await store.ids(all.where("f", .notIn, .array([.integer(1), .integer(2)]))) == ["b"])
            #expect(try await store.ids(all.where("f", .notIn, .array([.integer(1), .null]))) == [])
            #expect(try await store.ids(all.where("f", .in, .array([.string("1"), .integer(2)]))) == ["b", "e"])
        }
    }

    @Test("Arrays are searched by element and compared element by element", arguments: Engine.all)
    func arrays(engine: Engine) async throws {
        let values: [Value?] = [
            .array([.integer(1), .string("x")]), .array([.double(1)]), .array([.map(["k": .null])]), .integer(1), nil,
        ]
        try await withValues(engine, values) { store, all async throws in
            #expect(try await store.ids(all.where("f", .arrayContains, .integer(1))) == ["a", "b"])
            #expect(
                try await store.ids(all.where("f", .arrayContainsAny, .array([.string("x"), .map(["k": .null])]))) == [
                    "a", "c",
                ])
            #expect(try await store.ids(all.where("f", .equal, .array([.integer(1)]))) == ["b"])
            #expect(try await store.ids(all.where("f", .lessThan, .array([.integer(1), .string("x")]))) == ["b"])
        }
    }

    @Test("Filters combine with AND and OR", arguments: Engine.all)
    func composites(engine: Engine) async throws {
        try await withValues(engine, [.integer(1), .integer(2), .integer(3), .string("s")]) { store, all async throws in
            let both = all.where("f", .greaterThan, .integer(1)).where("f", .lessThan, .integer(3))
            #expect(try await store.ids(both) == ["b"])
            var either = all
            either.filter = .or([
                .field("f", .equal, .integer(1)),
                .and([.field("f", .equal, .string("s")), .field("f", .equal, .string("s"))]),
            ])
            #expect(try await store.ids(either) == ["a", "d"])
        }
    }

    @Test("A query can filter by document name", arguments: Engine.all)
    func names(engine: Engine) async throws {
        try await withValues(engine, [nil, nil, nil]) { store, all async throws in
            func name(_ path: String) throws -> Value { .reference(try DocumentPath(path).name(in: .gateway)) }
            #expect(try await store.ids(all.where(.documentName, .equal, name("t/b"))) == ["b"])
            #expect(try await store.ids(all.where(.documentName, .equal, name("u/b"))) == [])
            #expect(try await store.ids(all.where(.documentName, .greaterThan, name("t/a"))) == ["b", "c"])
            #expect(try await store.ids(all.where(.documentName, .notEqual, name("t/a"))) == ["b", "c"])
            #expect(
                try await store.ids(all.where(.documentName, .in, .array([name("t/c"), name("t/a")]))) == ["a", "c"])
        }
    }

    @Test("An invalid query is refused", arguments: Engine.all)
    func refusals(engine: Engine) async throws {
        try await engine.withStore { store in
            let all = Query.collection(try CollectionPath("t"))
            var negative = all
            negative.offset = -1
            var longCursor = all
            longCursor.start = Cursor([.null, .null], isAfter: false)
            var empty = all
            empty.filter = .or([])
            let refused = [
                negative, all.limited(to: -1), longCursor, empty, all.where("f", .in, .integer(1)),
                all.where("f", .notIn, .array([])), all.where("__f__", .equal, .null),
                all.where(.documentName, .equal, .string("a")), all.where(.documentName, .arrayContains, .null),
                all.ordered(by: ""), .collectionGroup("a/b"), all.where("f", .equal, .array([.array([])])),
                all.where(.documentName, .equal, .reference("projects/other/databases/(default)/documents/t/a")),
            ]
            for query in refused {
                await expectError(.invalidArgument) { try await store.documents(matching: query) }
            }
        }
    }
}
