import DocumentStore
import Testing

@Suite("Conformance: merges and transforms")
struct TransformTests {
    private func result(
        _ engine: Engine, from fields: Fields?, _ transforms: [FieldTransform]
    ) async throws -> Fields {
        var result: Fields = [:]
        try await engine.withStore { store in
            if let fields { try await store.set("t/d", fields) }
            _ = try await store.commit([.merge(DocumentPath("t/d"), [:], transforms: transforms)])
            result = try #require(try await store.fields("t/d"))
        }
        return result
    }

    @Test("A merge sets and deletes exactly the fields of its mask", arguments: Engine.all)
    func merge(engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.set(
                "t/d",
                [
                    "kept": .integer(1), "gone": .integer(2), "map": .map(["a": .integer(1), "b": .integer(2)]),
                    "s": .null,
                ])
            let mask: [FieldPath] = [
                "new", "gone", FieldPath(segments: ["map", "a"]), FieldPath(segments: ["map", "none", "x"]),
                FieldPath(segments: ["s", "t"]),
            ]
            _ = try await store.commit([
                .merge(
                    DocumentPath("t/d"),
                    [
                        "new": .integer(3), "unmasked": .integer(4), "map": .map(["a": .integer(9), "b": .integer(9)]),
                        "s": .map(["t": .boolean(true)]),
                    ], mask: mask)
            ])
            #expect(
                try await store.fields("t/d") == [
                    "kept": .integer(1), "new": .integer(3), "map": .map(["a": .integer(9), "b": .integer(2)]),
                    "s": .map(["t": .boolean(true)]),
                ])
        }
    }

    @Test("A merge creates a missing document, and a set replaces the whole document", arguments: Engine.all)
    func mergeMissing(engine: Engine) async throws {
        try await engine.withStore { store in
            _ = try await store.commit([.merge(DocumentPath("t/d"), ["a": .integer(1)])])
            #expect(try await store.fields("t/d") == ["a": .integer(1)])
            try await store.set("t/d", ["b": .integer(2)])
            #expect(try await store.fields("t/d") == ["b": .integer(2)])
        }
    }

    @Test("The server time of a transform is the commit time", arguments: Engine.all)
    func serverTime(engine: Engine) async throws {
        try await engine.withStore { store in
            let commit = try await store.commit([
                .set(
                    DocumentPath("t/d"), [:],
                    transforms: [FieldTransform(FieldPath(segments: ["a", "b"]), .serverTime)])
            ])
            #expect(try await store.fields("t/d") == ["a": .map(["b": .timestamp(commit.commitTime)])])
        }
    }

    @Test("An increment adds, starts at zero and stops at the limits of 64 bits", arguments: Engine.all)
    func increment(engine: Engine) async throws {
        let fields = try await result(
            engine,
            from: [
                "i": .integer(5), "d": .double(0.5), "max": .integer(.max), "min": .integer(.min), "s": .string("x"),
            ],
            [
                FieldTransform("i", .increment(.integer(-7))), FieldTransform("d", .increment(.integer(1))),
                FieldTransform("max", .increment(.integer(1))), FieldTransform("min", .increment(.integer(-1))),
                FieldTransform("s", .increment(.integer(3))), FieldTransform("new", .increment(.double(1.5))),
                FieldTransform("i", .increment(.integer(10))),
            ])
        #expect(
            fields == [
                "i": .integer(8), "d": .double(1.5), "max": .integer(.max), "min": .integer(.min), "s": .integer(3),
                "new": .double(1.5),
            ])
    }

    @Test("Maximum and minimum keep an equal field with its type", arguments: Engine.all)
    func extremes(engine: Engine) async throws {
        let fields = try await result(
            engine, from: ["a": .integer(3), "b": .integer(3), "c": .double(3), "d": .string("x")],
            [
                FieldTransform("a", .maximum(.double(3.5))), FieldTransform("b", .minimum(.integer(4))),
                FieldTransform("c", .maximum(.integer(3))), FieldTransform("d", .minimum(.integer(9))),
                FieldTransform("e", .maximum(.integer(-1))),
            ])
        #expect(
            fields == [
                "a": .double(3.5), "b": .integer(3), "c": .double(3), "d": .integer(9), "e": .integer(-1),
            ])
    }

    @Test("Array union appends missing elements, and array removal removes all equal ones", arguments: Engine.all)
    func arrays(engine: Engine) async throws {
        let fields = try await result(
            engine,
            from: ["u": .array([.integer(1), .string("a")]), "r": .array([.integer(1), .double(1), .string("a")])],
            [
                FieldTransform("u", .arrayUnion([.double(1), .string("b"), .string("b")])),
                FieldTransform("r", .arrayRemove([.integer(1)])), FieldTransform("new", .arrayUnion([.null])),
                FieldTransform("none", .arrayRemove([.null])),
            ])
        #expect(
            fields == [
                "u": .array([.integer(1), .string("a"), .string("b")]), "r": .array([.string("a")]),
                "new": .array([.null]), "none": .array([]),
            ])
    }

    @Test("An invalid transform is refused", arguments: Engine.all)
    func refusals(engine: Engine) async throws {
        try await engine.withStore { store in
            let path = try DocumentPath("t/d")
            let transforms: [FieldTransform] = [
                FieldTransform("n", .increment(.string("1"))), FieldTransform("n", .maximum(.null)),
                FieldTransform("__n__", .serverTime), FieldTransform("n", .arrayUnion([.array([])])),
            ]
            for transform in transforms {
                await expectError(.invalidArgument) {
                    try await store.commit([.set(path, [:], transforms: [transform])])
                }
            }
            await expectError(.invalidArgument) {
                try await store.commit([Write(.delete, at: path, transforms: [FieldTransform("n", .serverTime)])])
            }
            #expect(try await store.document(at: path) == nil)
        }
    }

    @Test("Concurrent increments are all counted", arguments: Engine.all)
    func concurrentIncrements(engine: Engine) async throws {
        try await engine.withStore { store in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        _ = try? await store.commit([
                            .merge(DocumentPath("t/d"), [:], transforms: [FieldTransform("n", .increment(.integer(1)))])
                        ])
                    }
                }
            }
            let fields = try await store.fields("t/d")
            #expect(fields == ["n": .integer(200)])
        }
    }
}
