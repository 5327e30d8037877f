import Testing

@testable import DocumentStore

@Suite("SQLite: rows that were just written", .timeLimit(.minutes(10)))
struct WrittenRowsTests {
    private static let index = FieldIndex(collectionGroup: "t", field: "s", type: .string)

    private func withEngine(
        indexed: Set<DatabaseID> = [], _ body: (SQLiteEngine, SQLiteDocumentStore) async throws -> Void
    ) async throws {
        let engine = try SQLiteFixture().open(fieldIndexes: [Self.index], indexed: indexed)
        do {
            try await body(engine, engine.store(for: .gateway))
        } catch {
            await engine.close()
            throw error
        }
        await engine.close()
    }

    private func addition(to path: DocumentPath) -> Write {
        .merge(path, [:], mask: [], transforms: [FieldTransform("n", .increment(.integer(1)))])
    }

    @Test("A document that is written again and again has what each commit has changed, and its index follows")
    func again() async throws {
        try await withEngine { engine, store in
            let path = try DocumentPath("t/a")
            for count in 1...3 {
                let result = try await store.commit([addition(to: path)])
                #expect(result.transformResults(ofWrite: 0) == [.integer(Int64(count))])
            }
            for text in ["b", "c"] {
                _ = try await store.commit([.merge(path, ["s": .string(text)])])
                let found = Query.collectionGroup("t").where("s", .equal, .string(text))
                #expect(try await store.ids(found) == ["a"])
            }
            _ = try await store.commit([.delete(path)])
            await expectError(.notFound) { try await store.commit([.update(path, ["n": .integer(0)])]) }
            #expect(try await store.commit([addition(to: path)]).transformResults(ofWrite: 0) == [.integer(1)])
            #expect(try await engine.staleRows([Self.index]) == [])
        }
    }

    @Test("A long document, and one of very many, has what all its commits have changed")
    func notKept() async throws {
        try await withEngine { _, store in
            let long = try DocumentPath("t/long")
            for size in [10, 20_000, 10] {
                let text = Value.string(String(repeating: "x", count: size))
                _ = try await store.commit([.set(long, ["text": text])])
                #expect(try await store.commit([addition(to: long)]).transformResults(ofWrite: 0) == [.integer(1)])
                #expect(try await store.fields("t/long") == ["text": text, "n": .integer(1)])
            }
            for _ in 0..<3 {
                for start in stride(from: 0, to: 1_200, by: 300) {
                    let writes = try (start..<start + 300).map { addition(to: try DocumentPath("many/\($0)")) }
                    _ = try await store.commit(writes)
                }
            }
            let all = try await store.documents(matching: .collection(CollectionPath("many")))
            #expect(all.count == 1_200 && all.allSatisfy { $0.fields["n"] == .integer(3) })
        }
    }

    @Test("A document that anything else has changed or deleted is taken for what it is")
    func others() async throws {
        try await withEngine { engine, store in
            let path = try DocumentPath("t/a")
            try await store.set("t/a", ["n": .integer(1)])
            let other = "{\"n\":{\"integerValue\":\"41\"}}"
            _ = try await engine.onWriter("UPDATE documents SET fields = '\(other)'")
            #expect(try await store.commit([addition(to: path)]).transformResults(ofWrite: 0) == [.integer(42)])
            _ = try await engine.onWriter("DELETE FROM documents")
            await expectError(.notFound) { try await store.commit([.update(path, ["n": .integer(0)])]) }
            #expect(try await store.ids(.collectionGroup("t")) == [])
        }
    }

    @Test("A database that was emptied has no document of before")
    func removed() async throws {
        try await withEngine { engine, store in
            try await store.set("t/a", ["n": .integer(1)])
            try await engine.removeAll(from: .gateway)
            let path = try DocumentPath("t/a")
            #expect(try await store.commit([addition(to: path)]).transformResults(ofWrite: 0) == [.integer(1)])
        }
    }

    @Test("A group that failed leaves no document as it would have been")
    func failedGroup() async throws {
        try await withEngine { engine, store in
            let path = try DocumentPath("t/a")
            try await store.set("t/a", ["n": .integer(1)])
            let pages = try #require(Int(try await engine.onWriter("PRAGMA page_count")[0]))
            _ = try await engine.onWriter("PRAGMA max_page_count = \(pages + 20)")
            let large = Value.string(String(repeating: "x", count: 200_000))
            let results = try await engine.commitTogether([
                [addition(to: path)], [.set(DocumentPath("t/large"), ["x": large])],
            ])
            #expect(results.allSatisfy { (try? $0.get()) == nil })
            _ = try await engine.onWriter("PRAGMA max_page_count = \(pages + 10_000)")
            #expect(try await store.commit([addition(to: path)]).transformResults(ofWrite: 0) == [.integer(2)])
        }
    }

    @Test("The creation of a document that is there fails and changes nothing, also in a group with its first creation")
    func creation() async throws {
        try await withEngine(indexed: [.gateway]) { engine, store in
            let (short, long) = (try DocumentPath("t/short"), try DocumentPath("t/long"))
            let text = Value.string(String(repeating: "x", count: 20_000))
            _ = try await store.commit([.create(short, ["s": .string("a")])])
            _ = try await store.commit([.create(long, ["text": text])])
            for path in [short, long] {
                await expectError(.alreadyExists) { try await store.commit([.create(path, ["s": .string("b")])]) }
            }
            #expect(try await store.fields("t/short") == ["s": .string("a")])
            #expect(try await store.fields("t/long") == ["text": text])
            #expect(try await engine.staleRows([Self.index]) == [])
            let new = try DocumentPath("t/new")
            let results = try await engine.commitTogether(
                ["one", "two", "three"].map { [.create(new, ["s": .string($0)])] })
            let successes = results.indices.filter { (try? results[$0].get()) != nil }
            #expect(successes.count == 1)
            for case .failure(let error) in results { #expect((error as? StoreError)?.code == .alreadyExists) }
            let kept = successes.first.map { ["one", "two", "three"][$0] }
            #expect(try await store.fields("t/new")?["s"]?.string == kept)
        }
    }
}
