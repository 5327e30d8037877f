import DocumentStore
import Testing

/// Names and texts that `String`s call equal. In Firestore they differ, as their bytes do.
@Suite("Conformance: names and texts that are canonically equivalent")
struct NameBytesTests {
    /// One scalar.
    private let one = "\u{E9}"
    /// The same letter and its mark.
    private let other = "e\u{301}"
    private let letter = "K"
    /// The Kelvin sign.
    private let sign = "\u{212A}"

    private var fields: Fields {
        [
            one: .integer(1), other: .integer(2), letter: .integer(3),
            "map": .map([letter: .string(one), sign: .string(other)]),
        ]
    }

    @Test("Fields and keys of maps are stored, masked, transformed and found apart", arguments: Engine.all)
    func fields(engine: Engine) async throws {
        try await engine.withStore(.app) { store async throws in
            let path = try DocumentPath("t/a")
            _ = try await store.commit([.set(path, fields)])
            let read = try #require(try await store.document(at: path)).fields
            #expect(read == fields && read.count == 4 && read["map"]?.map?.count == 2)
            #expect(read[one] == .integer(1) && read[other] == .integer(2) && read[sign] == nil)
            let increment = FieldTransform(FieldPath(other), .increment(.integer(5)))
            _ = try await store.commit([
                .merge(path, [:], mask: [FieldPath(one)]),
                Write(.merge([:], mask: []), at: path, transforms: [increment]),
                .merge(path, ["map": .map([sign: .null])], mask: [FieldPath(segments: ["map", sign])]),
            ])
            let changed = try #require(try await store.document(at: path)).fields
            let map: Fields = [letter: .string(one), sign: .null]
            #expect(changed == [other: .integer(7), letter: .integer(3), "map": .map(map)])
            for (field, count) in [(one, 0), (other, 1), (letter, 1), (sign, 0)] {
                let query = Query.collection(path.collection).where(FieldPath(field), .greaterThan, .integer(0))
                #expect(try await store.documents(matching: query).count == count, "\(field.utf8.count)")
            }
        }
    }

    @Test(
        "A text that is replaced by an equivalent one has changed, for its time, a watch and a query",
        arguments: Engine.all)
    func values(engine: Engine) async throws {
        try await engine.withStore(.app) { store async throws in
            let path = try DocumentPath("t/a")
            let query = Query.collection(path.collection)
            let first = try await store.commit([.set(path, ["x": .string(one)])])
            var watch = store.watch(query).makeAsyncIterator()
            #expect(try await watch.next()?.documents.first?["x"]?.string?.utf8.count == 2)
            let second = try await store.commit([.set(path, ["x": .string(other)])])
            #expect(first.updateTimes != second.updateTimes)
            #expect(try await watch.next()?.documents.first?["x"]?.string?.utf8.count == 3)
            let same = FieldTransform("list", .arrayUnion([.string(one), .string(other), .string(one)]))
            _ = try await store.commit([Write(.merge([:], mask: []), at: path, transforms: [same])])
            #expect(try await store.document(at: path)?["list"]?.array?.count == 2)
            for (text, count) in [(one, 0), (other, 1)] {
                let found = query.where("x", .equal, .string(text))
                #expect(try await store.documents(matching: found).count == count)
            }
        }
    }

    @Test("Ids of documents and collections are kept apart, listed and queried", arguments: Engine.all)
    func ids(engine: Engine) async throws {
        try await engine.withStore(.app) { store async throws in
            for collection in [one, other] {
                for id in [one, other, letter, sign] { try await store.set("\(collection)/\(id)", ["id": .string(id)]) }
            }
            let collections = try await store.collectionIDs(below: nil)
            #expect(collections.map { Array($0.utf8) } == [Array(other.utf8), Array(one.utf8)])
            for collection in [one, other] {
                let path = try CollectionPath(collection)
                let listed = try await store.listing(of: path, after: nil, limit: 10, projection: nil)
                let ids = [letter, other, one, sign].map { Array($0.utf8) }
                #expect(listed.map { Array($0.path.id.utf8) } == ids)
                let group = try await store.documents(matching: .collectionGroup(collection))
                #expect(group.map { Array($0.path.id.utf8) } == ids)
            }
            _ = try await store.commit([.delete(try DocumentPath("\(one)/\(one)"))])
            #expect(try await store.fields("\(one)/\(other)") == ["id": .string(other)])
            #expect(try await store.count(.descendants(of: nil)) == 7)
        }
    }

    @Test("Names and texts with U+0000 are exact in documents, cursors and queries", arguments: Engine.all)
    func ends(engine: Engine) async throws {
        try await engine.withStore(.app) { store async throws in
            let ids = ["a", "a\u{0}", "a\u{0}b", "a\u{1}"]
            for id in ids {
                try await store.set("t\u{0}/\(id)", ["n\u{0}": .string(id), "n": .string("x")])
            }
            let query = Query.collection(try CollectionPath("t\u{0}"))
            #expect(try await store.ids(query) == ids)
            #expect(try await store.collectionIDs(below: nil) == ["t\u{0}"])
            #expect(try await store.documents(matching: .collection(try CollectionPath("t"))).isEmpty)
            for (place, id) in ids.enumerated() {
                var after = query
                let name = try DocumentPath("t\u{0}/\(id)").name(in: store.database)
                after.start = Cursor([.reference(name)], isAfter: true)
                #expect(try await store.ids(after.ordered(by: .documentName)) == Array(ids[(place + 1)...]))
                let equal = query.where("n\u{0}", .equal, .string(id))
                #expect(try await store.ids(equal) == [id])
                #expect(try await store.fields("t\u{0}/\(id)") == ["n\u{0}": .string(id), "n": .string("x")])
            }
        }
    }
}
