import DocumentStore
import TestDoubles
import Testing

@Suite("Conformance: the work of a commit")
struct CommitWorkTests {
    /// Work that grows with the product of two sizes takes longer by far, also on a fast machine.
    private static let patience = Duration.seconds(120)

    private func numbers(_ range: Range<Int>) -> [Value] { range.map { .integer(Int64($0)) } }

    @Test("Array transforms take time in proportion to their elements", arguments: Engine.all)
    func arrays(engine: Engine) async throws {
        let count = 40_000
        try await engine.withStore { store in
            let path = try DocumentPath("t/d")
            try await store.set("t/d", ["list": .array(numbers(0..<count))])
            let start = ContinuousClock.now
            let union = FieldTransform("list", .arrayUnion(numbers(count / 2..<count + count / 2)))
            _ = try await store.commit([.merge(path, [:], mask: [], transforms: [union])])
            #expect(try await store.fields("t/d")?["list"]?.array?.count == count + count / 2)
            let removal = FieldTransform("list", .arrayRemove(numbers(10..<count + count / 2)))
            _ = try await store.commit([.merge(path, [:], mask: [], transforms: [removal])])
            // It compares each element with few others.
            #expect(ContinuousClock.now - start < Self.patience)
            #expect(try await store.fields("t/d") == ["list": .array(numbers(0..<10))])
        }
    }

    @Test("Many writes to one large document take time in proportion to what they change", arguments: Engine.all)
    func oneDocument(engine: Engine) async throws {
        try await engine.withStore { store in
            let path = try DocumentPath("t/d")
            let large = Fields((0..<20_000).map { ("f\($0)", .integer(Int64($0))) })
            try await store.set("t/d", ["large": .map(large), "n": .integer(0)])
            let start = ContinuousClock.now
            let writes = (0..<3_000).map { number in
                Write.merge(
                    path, ["large": .map(["f1": .integer(Int64(number))])],
                    mask: [FieldPath(segments: ["large", "f1"])],
                    transforms: number < 500 ? [FieldTransform("n", .increment(.integer(1)))] : [])
            }
            let result = try await store.commit(writes)
            // It encodes the document once.
            #expect(ContinuousClock.now - start < Self.patience)
            #expect(result.transformResults(ofWrite: 499) == [.integer(500)])
            let fields = try #require(try await store.fields("t/d"))
            #expect(fields["n"] == .integer(500))
            #expect(fields["large"]?.map?["f1"] == .integer(2_999))
            #expect(fields["large"]?.map?.count == 20_000)
        }
    }

    @Test("A document that becomes too large between the writes of a commit is refused", arguments: Engine.all)
    func sizeBetween(engine: Engine) async throws {
        try await engine.withStore { store in
            let path = try DocumentPath("t/d")
            let half = Value.string(String(repeating: "x", count: 524_288))
            try await store.set("t/d", ["a": half])
            await expectError(.invalidArgument) {
                try await store.commit([.merge(path, ["b": half]), .merge(path, [:], mask: ["b"])])
            }
            _ = try await store.commit([.merge(path, [:], mask: ["a"]), .merge(path, ["b": half])])
            #expect(try await store.fields("t/d") == ["b": half])
        }
    }

    @Test("A commit of more writes than others can wait for is refused as a whole", arguments: Engine.all)
    func writes(engine: Engine) async throws {
        try await engine.withStore { store in
            let writes = try (0...16_384).map { Write.delete(try DocumentPath("t/\($0)")) }
            let error = await expectError(.invalidArgument) {
                try await store.commit([.set(DocumentPath("t/first"), [:])] + writes)
            }
            #expect(error?.message.contains("too large") == true)
            #expect(try await store.fields("t/first") == nil)
            _ = try await store.commit(writes.dropLast(2))
        }
    }

    @Test("A commit that changes too large documents is refused", arguments: Engine.all)
    func bytes(engine: Engine) async throws {
        try await engine.withStore { store in
            let large = Value.string(String(repeating: "x", count: 1_000_000))
            let paths = try (0..<70).map { try DocumentPath("t/\($0)") }
            for path in paths { _ = try await store.commit([.set(path, ["x": large])]) }
            await expectError(.invalidArgument) { try await store.commit(paths.map { .delete($0) }) }
            #expect(try await store.fields("t/0") != nil)
            _ = try await store.commit(paths.prefix(35).map { .delete($0) })
            _ = try await store.commit(paths.suffix(35).map { .delete($0) })
            #expect(try await store.fields("t/0") == nil)
        }
    }

    /// Not with PostgreSQL: a debug build compares so many elements for longer than the server waits for a connection.
    @Test("A commit that compares too many elements is refused")
    func elements() async throws {
        try await Engine.sqlite.withStore { store in
            try await store.set("t/list", ["list": .array(numbers(0..<20_000))])
            let union = FieldTransform("list", .arrayUnion([.integer(1)]))
            func commit(_ count: Int) async throws {
                let transforms = Array(repeating: union, count: count)
                _ = try await store.commit([.merge(try DocumentPath("t/list"), [:], mask: [], transforms: transforms)])
            }
            await expectError(.invalidArgument) { try await commit(120) }
            try await commit(20)
        }
    }

    @Test("A commit whose masks have too many fields together is refused as a whole", arguments: Engine.all)
    func masks(engine: Engine) async throws {
        try await engine.withStore { store in
            let mask = (0..<40_000).map { FieldPath("f\($0)") }
            func commit(_ count: Int) async throws {
                let paths = try (0..<count).map { try DocumentPath("t/\($0)") }
                _ = try await store.commit(paths.map { .merge($0, ["f1": .integer(1)], mask: mask) })
            }
            await expectError(.invalidArgument) { try await commit(9) }
            #expect(try await store.fields("t/0") == nil)
            try await commit(2)
            #expect(try await store.fields("t/1") == ["f1": .integer(1)])
        }
    }

    @Test("A commit that nobody awaits when its turn comes is not applied", arguments: Engine.all)
    func abandoned(engine: Engine) async throws {
        try await engine.withStore { store in
            await expectError(.cancelled) {
                try await cancelled { try await store.commitUnlessCancelled([.set(DocumentPath("t/gone"), [:])]) }
            }
            #expect(try await store.fields("t/gone") == nil)
            _ = try await store.commitUnlessCancelled([.set(DocumentPath("t/awaited"), [:])])
            #expect(try await store.fields("t/awaited") == [:])
        }
    }

    @Test("A commit that arrived whole is applied, also if its task is cancelled", arguments: Engine.all)
    func unconditional(engine: Engine) async throws {
        try await engine.withStore { store in
            _ = try await cancelled { try await store.commit([.set(DocumentPath("t/a"), [:])]) }
            #expect(try await store.fields("t/a") == [:])
        }
    }
}
