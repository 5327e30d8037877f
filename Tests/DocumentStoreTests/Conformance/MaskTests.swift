import DocumentStore
import Testing

@Suite("Conformance: masks, and writes that change nothing")
struct MaskTests {
    private static let path = "t/d"

    /// Returns the document's fields after a merge.
    private func merged(
        _ engine: Engine, _ fields: Fields?, with changes: Fields, _ mask: [String]
    ) async throws -> Fields? {
        var result: Fields?
        try await engine.withStore { store in
            if let fields { try await store.set(Self.path, fields) }
            let paths = try mask.map { try FieldPath(parsing: $0) }
            _ = try await store.commit([.merge(DocumentPath(Self.path), changes, mask: paths)])
            result = try await store.fields(Self.path)
        }
        return result
    }

    @Test("An empty mask changes no field, and creates a missing document without fields", arguments: Engine.all)
    func empty(engine: Engine) async throws {
        #expect(try await merged(engine, ["a": .integer(1)], with: ["a": .integer(2)], []) == ["a": .integer(1)])
        #expect(try await merged(engine, nil, with: ["a": .integer(2)], []) == [:])
        #expect(try await merged(engine, nil, with: ["a": .integer(2)], ["__name__"]) == [:])
        #expect(try await merged(engine, nil, with: ["a": .integer(2)], ["__name__", "a"]) == ["a": .integer(2)])
    }

    @Test("Paths of a mask may overlap and repeat", arguments: Engine.all)
    func overlapping(engine: Engine) async throws {
        let both: Fields = ["a": .map(["b": .integer(1), "c": .integer(2)])]
        for mask in [["a", "a.b", "a"], ["a.b", "a"], ["a.b", "a.c"]] {
            #expect(try await merged(engine, ["a": .integer(0)], with: both, mask) == both)
        }
        let last: Fields = ["a": .map(["c": .integer(3)])]
        #expect(try await merged(engine, both, with: last, ["a.b", "a"]) == last)
        #expect(try await merged(engine, both, with: ["a": .integer(5)], ["a", "a.b"]) == ["a": .integer(5)])
    }

    @Test("A named field that is not given is deleted; its last leaf leaves an empty map", arguments: Engine.all)
    func deletion(engine: Engine) async throws {
        let fields: Fields = ["m": .map(["x": .integer(1), "y": .integer(2)]), "a": .integer(1)]
        #expect(try await merged(engine, fields, with: [:], ["m.x", "m.y"]) == ["m": .map([:]), "a": .integer(1)])
        #expect(try await merged(engine, fields, with: [:], ["none", "none.x", "a.b.c", "m.z"]) == fields)
    }

    @Test("A path through a value that is no map, as a vector, replaces it by a map", arguments: Engine.all)
    func replacement(engine: Engine) async throws {
        let changes: Fields = ["a": .map(["value": .map(["c": .integer(1)])])]
        for value in [Value.integer(1), .vector([1, 2]), .array([])] {
            #expect(try await merged(engine, ["a": value], with: changes, ["a.value.c"]) == changes)
        }
        let vector: Fields = ["a": .vector([1, 2])]
        #expect(try await merged(engine, vector, with: [:], ["a.value"]) == vector)
    }

    @Test(
        "A write changes a document if the type or sign of a number changes, not by the order of a map's names",
        arguments: Engine.all)
    func changes(engine: Engine) async throws {
        let values: [Value] = [
            .integer(1), .double(1), .integer(0), .double(0), .double(-0.0), .double(.nan), .vector([0]),
            .vector([-0.0]), .map(["a": .integer(1), "b": .null]), .map(["a": .double(1), "b": .null]),
            .array([.integer(1), .integer(2)]), .array([.integer(2), .integer(1)]),
            .map(["__int__": .integer(1)]), .map(["__decimal128__": .string("1")]),
        ]
        try await engine.withStore { store in
            let path = try DocumentPath(Self.path)
            for value in values {
                let change = try await store.commit([.set(path, ["f": value])])
                #expect(change.updateTimes == [change.commitTime], "\(value)")
                let again = try await store.commit([.set(path, ["f": value]), .merge(path, ["f": value])])
                #expect(again.updateTimes == [change.commitTime, change.commitTime], "\(value)")
            }
            let names = (0..<20).map { "n\($0)" }
            let (up, down) = (names.map { ($0, Value.null) }, names.reversed().map { ($0, Value.null) })
            let first = try await store.commit([.set(path, Fields(up))])
            let second = try await store.commit([.set(path, Fields(down))])
            #expect(second.updateTimes == [first.commitTime])
        }
    }

    @Test("Decimal numbers of BSON are stored in their canonical form", arguments: Engine.all)
    func decimals(engine: Engine) async throws {
        func decimal(_ text: String) -> Value { .map(["__decimal128__": .string(text)]) }
        try await engine.withStore { store in
            try await store.set(
                "t/d", ["a": decimal("inf"), "b": .array([.map(["c": decimal("-inf")]), decimal("1.50")])])
            _ = try await store.commit([
                .merge(DocumentPath("t/d"), [:], transforms: [FieldTransform("u", .arrayUnion([decimal("Inf")]))])
            ])
            #expect(
                try await store.fields("t/d") == [
                    "a": decimal("Infinity"), "b": .array([.map(["c": decimal("-Infinity")]), decimal("1.50")]),
                    "u": .array([decimal("Infinity")]),
                ])
        }
    }

    @Test("A stored document returns vectors and BSON's types unchanged", arguments: Engine.all)
    func unchangedTypes(engine: Engine) async throws {
        let fields: Fields = [
            "vector": .vector([1, -0.0]), "min": .map(["__min__": .null]), "max": .map(["__max__": .null]),
            "int": .map(["__int__": .integer(-1)]), "binary": .map(["__binary__": .bytes([0, 1])]),
            "oid": .map(["__oid__": .string("0123456789abcdef01234567")]),
            "regex": .map(["__regex__": .map(["pattern": .string("^a"), "options": .string("im")])]),
            "request": .map(["__request_timestamp__": .map(["seconds": .integer(5), "increment": .integer(1)])]),
            "decimal": .map(["__decimal128__": .string("1.50")]),
            "array": .array([.map(["__min__": .null]), .map(["v": .vector([1])])]),
        ]
        try await engine.withStore { store in
            try await store.set("t/d", fields)
            #expect(try await store.fields("t/d") == fields)
        }
    }
}
