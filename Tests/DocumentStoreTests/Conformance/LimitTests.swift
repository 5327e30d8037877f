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
