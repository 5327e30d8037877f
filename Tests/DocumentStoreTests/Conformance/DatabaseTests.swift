import DocumentStore
import Testing

@Suite("Conformance: several databases")
struct DatabaseTests {
    private let other = DatabaseID(project: "app", database: "other")

    @Test("Databases with documents are listed, and do not see each other's documents", arguments: Engine.all)
    func separation(engine: Engine) async throws {
        try await engine.withEngine { engine async throws in
            #expect(try await engine.databases() == [])
            try await engine.store(for: .app).set("t/a", ["n": .integer(1)])
            try await engine.store(for: other).set("t/a", ["n": .integer(2)])
            #expect(try await Set(engine.databases()) == [.app, other])
            #expect(try await engine.store(for: .app).fields("t/a") == ["n": .integer(1)])
            #expect(try await engine.store(for: DatabaseID(project: "none")).count(.descendants(of: nil)) == 0)
        }
    }

    @Test(
        "The removal of all documents leaves other databases unchanged, and new documents count", arguments: Engine.all)
    func removal(engine: Engine) async throws {
        try await engine.withEngine { engine async throws in
            let store = engine.store(for: .app)
            _ = try await store.commit((0..<1_000).map { .set(try DocumentPath("t/\($0)"), [:]) })
            try await engine.store(for: other).set("t/a")
            try await engine.removeAll(from: .app)
            #expect(try await store.count(.descendants(of: nil)) == 0)
            #expect(try await store.collectionIDs(below: nil) == [])
            #expect(try await engine.databases() == [other])
            _ = try await store.commit([.create(DocumentPath("t/1"), [:])])
            #expect(try await store.count(.descendants(of: nil)) == 1)
            #expect(try await engine.store(for: other).count(.descendants(of: nil)) == 1)
            try await engine.removeAll(from: DatabaseID(project: "none"))
        }
    }

    @Test("A removal ends earlier states and aborts transactions", arguments: Engine.all)
    func transactions(engine: Engine) async throws {
        try await engine.withEngine { engine async throws in
            let store = engine.store(for: .app)
            try await store.set("t/a")
            var reads = TransactionReads(at: store.readTime)
            reads.add([try DocumentPath("t/missing")])
            let snapshot = try await store.snapshot(at: reads.time)
            try await engine.removeAll(from: .app)
            await expectError(.failedPrecondition) { try await snapshot.count(.descendants(of: nil)) }
            await expectError(.failedPrecondition) { try await store.snapshot(at: reads.time) }
            await expectError(.aborted) {
                try await store.commit([.set(DocumentPath("t/b"), [:])], ifUnchanged: reads)
            }
            #expect(try await store.snapshot(at: store.readTime).count(.descendants(of: nil)) == 0)
        }
    }

    @Test("A watch of a database sees the removal of its documents", arguments: Engine.all)
    func watch(engine: Engine) async throws {
        try await engine.withEngine { engine async throws in
            let store = engine.store(for: .app)
            try await store.set("t/a")
            var watch = store.watch(.collection(try CollectionPath("t"))).makeAsyncIterator()
            #expect(try await watch.next()?.documents.count == 1)
            try await engine.removeAll(from: .app)
            #expect(try await watch.next()?.documents.count == 0)
        }
    }
}
