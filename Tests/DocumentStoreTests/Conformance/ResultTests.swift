import DocumentStore
import Testing

@Suite("Conformance: results in pieces", .timeLimit(.minutes(10)))
struct ResultTests {
    /// Runs the body with a collection of this many documents, with the field `n` from 0 up.
    private func withDocuments(
        _ engine: Engine, _ count: Int, _ body: (any DocumentStore, Query) async throws -> Void
    ) async throws {
        try await engine.withStore { store in
            let collection = try CollectionPath("t")
            let writes = try (0..<count).map { number in
                Write.set(try collection.document("\(10_000 + number)"), ["n": .integer(Int64(number))])
            }
            _ = try await store.commit(writes)
            try await body(store, .collection(collection))
        }
    }

    private func pieces(_ results: QueryResults) async throws -> [[Document]] {
        var pieces: [[Document]] = []
        while let piece = try await results.next() { pieces.append(piece) }
        return pieces
    }

    @Test("A result in pieces has the same documents as the collected one", arguments: Engine.all)
    func same(engine: Engine) async throws {
        try await withDocuments(engine, 2_000) { store, all async throws in
            var cut = all.ordered(by: "n", .descending).limited(to: 1_200)
            cut.offset = 7
            var later = all.ordered(by: .documentName)
            later.start = Cursor([.reference(try DocumentPath("t/10900").name(in: store.database))], isAfter: true)
            var names = all
            names.projection = []
            let queries = [
                all, cut, later, names, all.limited(to: 3), all.limited(to: 0), .descendants(of: nil),
                all.where("n", .greaterThan, .integer(900)), .collectionGroup("none"),
            ]
            for query in queries {
                let pieces = try await pieces(try await store.results(of: query))
                #expect(pieces.allSatisfy { !$0.isEmpty })
                #expect(try await pieces.flatMap(\.self) == store.documents(matching: query))
            }
        }
    }

    @Test("A long result comes in several pieces, and then ends for good", arguments: Engine.all)
    func long(engine: Engine) async throws {
        try await withDocuments(engine, 2_000) { store, all async throws in
            let results = try await store.results(of: all)
            let pieces = try await pieces(results)
            #expect(pieces.count > 1)
            #expect(try await results.next() == nil)
        }
    }

    @Test("Pieces show the state at the start, whatever is committed meanwhile", arguments: Engine.all)
    func state(engine: Engine) async throws {
        try await withDocuments(engine, 2_000) { store, all async throws in
            let before = try await store.commit([.set(DocumentPath("u/a"), [:])]).commitTime
            let results = try await store.results(of: all)
            #expect(results.readTime == before)
            let first = try #require(try await results.next())
            let last = try DocumentPath("t/11999")
            _ = try await store.commit([.delete(last), .set(try DocumentPath("t/99999"), [:])])
            let rest = try await pieces(results).flatMap(\.self)
            #expect(first.count + rest.count == 2_000)
            #expect(rest.last?.path == last)
            #expect(try await store.count(all) == 2_000)
        }
    }

    @Test("A result in pieces of an empty database is empty", arguments: Engine.all)
    func empty(engine: Engine) async throws {
        try await engine.withStore { store in
            let results = try await store.results(of: .descendants(of: nil))
            #expect(try await results.next() == nil)
        }
    }

    @Test("An invalid query has no results", arguments: Engine.all)
    func invalid(engine: Engine) async throws {
        try await engine.withStore { store in
            let query = Query.collection(try CollectionPath("t")).limited(to: -1)
            await expectError(.invalidArgument) { try await store.results(of: query) }
        }
    }

    @Test("Consumers that stop early leave room for many others", arguments: Engine.all)
    func abandoned(engine: Engine) async throws {
        try await withDocuments(engine, 1_000) { store, all async throws in
            for _ in 0..<100 {
                let results = try await store.results(of: all)
                #expect(try await results.next()?.isEmpty == false)
            }
        }
    }

    @Test("Closing the store ends a result that is being read", arguments: Engine.all)
    func closed(engine: Engine) async throws {
        let open = try await engine.open(TestClock())
        let store = open.store(.gateway)
        _ = try await store.commit((0..<2_000).map { Write.set(try DocumentPath("t/\($0)"), [:]) })
        let results = try await store.results(of: .collection(try CollectionPath("t")))
        #expect(try await results.next()?.isEmpty == false)
        await open.close()
        await expectError(.unavailable) { try await results.next() }
        await expectError(.unavailable) { try await store.results(of: .descendants(of: nil)) }
    }

    @Test("A cancelled task gets no further pieces", arguments: Engine.all)
    func cancelled(engine: Engine) async throws {
        try await withDocuments(engine, 2_000) { store, all async throws in
            let results = try await store.results(of: all)
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await results.next()
            }
            task.cancel()
            await expectError(.cancelled) { try await task.value }
            await expectError(.cancelled) { try await results.next() }
        }
    }
}
