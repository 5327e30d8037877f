import DocumentStore
import Testing

@Suite("Conformance: limits")
struct LimitTests {
    private func expectRefusal(_ engine: Engine, of fields: Fields, _ location: SourceLocation = #_sourceLocation)
        async throws
    {
        try await engine.withStore { store in
            for write in [Write.set(try DocumentPath("t/d"), fields), .merge(try DocumentPath("t/d"), fields)] {
                await expectError(.invalidArgument, location) { try await store.commit([write]) }
            }
            #expect(try await store.fields("t/d") == nil)
        }
    }

    @Test(
        "Field names that Firestore reserves or forbids are refused",
        arguments: Engine.all, ["", "__name__", "____", "__x__", String(repeating: "é", count: 751)])
    func names(engine: Engine, name: String) async throws {
        try await expectRefusal(engine, of: [name: .null])
        try await expectRefusal(engine, of: ["m": .map([name: .null])])
    }

    @Test(
        "Values that Firestore forbids in a document are refused", arguments: Engine.all,
        [
            .array([.array([])]), .map(["m": .array([.array([.null])])]), .nested(21),
            .geoPoint(latitude: 90.1, longitude: 0), .geoPoint(latitude: 0, longitude: .nan), .reference("a/b"),
            .reference("projects/p/databases/d/documents/a"), .string(String(repeating: "x", count: 1_048_488)),
        ] as [Value])
    func values(engine: Engine, value: Value) async throws {
        try await expectRefusal(engine, of: ["f": value])
    }

    @Test("Values at their limits are stored", arguments: Engine.all)
    func extremes(engine: Engine) async throws {
        let fields: Fields = [
            "deep": .nested(20), String(repeating: "é", count: 750): .null, "__x": .null, "x__": .null, "___": .null,
        ]
        try await engine.withStore { store in
            try await store.set("t/d", fields)
            #expect(try await store.fields("t/d") == fields)
            try await store.set("t/e", ["f": .string(String(repeating: "x", count: 1_048_487))])
            #expect(try await store.fields("t/e")?["f"]?.string?.utf8.count == 1_048_487)
        }
    }

    @Test("A document that is too large, or becomes too large by a merge, is refused", arguments: Engine.all)
    func documentSize(engine: Engine) async throws {
        let half = Value.string(String(repeating: "x", count: 524_288))
        try await engine.withStore { store in
            await expectError(.invalidArgument) { try await store.set("t/d", ["a": half, "b": half]) }
            try await store.set("t/d", ["a": half])
            await expectError(.invalidArgument) {
                try await store.commit([.merge(DocumentPath("t/d"), ["b": half])])
            }
            #expect(try await store.fields("t/d") == ["a": half])
        }
    }

    @Test("A document with a name of more than 6 KiB cannot be written", arguments: Engine.all)
    func nameSize(engine: Engine) async throws {
        let ids = ["t", String(repeating: "é", count: 750), "c", String(repeating: "x", count: 1_500)]
        let last = ["c", String(repeating: "y", count: 1_500), String(repeating: "c", count: 500)]
        let parent = (ids + last).joined(separator: "/")
        // The size of a name is that of its ids with one byte more for each, and 16.
        func path(_ size: Int) throws -> DocumentPath {
            try DocumentPath(parent + "/" + String(repeating: "z", count: size - 16 - 1 - 1 - parent.utf8.count))
        }
        try await engine.withStore { store async throws in
            let path = try path(6_145)
            for write in [Write.set(path, [:]), .merge(path, [:], mask: []), .create(path, [:])] {
                await expectError(.invalidArgument) { try await store.commit([write]) }
            }
            #expect(try await store.document(at: path) == nil)
            _ = try await store.commit([.delete(path), .verify(path, .exists(false))])
        }
        guard engine.name == "SQLite" else { return }
        try await engine.withStore { store async throws in
            let path = try path(6_144)
            _ = try await store.commit([.set(path, [:])])
            #expect(try await store.document(at: path) != nil)
        }
    }

    @Test("A commit has at most 500 transforms of a document, in all of its writes together", arguments: Engine.all)
    func transforms(engine: Engine) async throws {
        func add(_ count: Int, _ path: String) throws -> Write {
            let transforms = (0..<count).map { _ in FieldTransform("n", .increment(.integer(1))) }
            return .merge(try DocumentPath(path), [:], mask: [], transforms: transforms)
        }
        try await engine.withStore { store async throws in
            for counts in [[501], [250, 251], [500, 1]] {
                let writes = try counts.map { try add($0, "t/a") } + [add(1, "t/b")]
                await expectError(.invalidArgument) { try await store.commit(writes) }
            }
            #expect(try await store.fields("t/b") == nil)
            _ = try await store.commit([add(250, "t/a"), add(500, "t/b"), add(250, "t/a")])
            #expect(try await store.fields("t/a") == ["n": .integer(500)])
        }
    }

    @Test("A merge that nests too deeply is refused", arguments: Engine.all)
    func mergedDepth(engine: Engine) async throws {
        try await engine.withStore { store in
            let segments = (0...20).map { _ in "m" }
            let fields = segments.dropFirst().reduce(Value.array([])) { value, _ in .map(["m": value]) }
            await expectError(.invalidArgument) {
                try await store.commit([
                    .merge(DocumentPath("t/d"), ["m": fields], mask: [FieldPath(segments: segments)])
                ])
            }
            await expectError(.invalidArgument) {
                try await store.commit([
                    .merge(
                        DocumentPath("t/d"), [:],
                        transforms: [FieldTransform(FieldPath(segments: segments), .arrayUnion([.null]))])
                ])
            }
        }
    }
}
