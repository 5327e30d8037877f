import DocumentStore
import Testing

@Suite("Conformance: commits if reads are unchanged")
struct TransactionTests {
    private static let databases = [DatabaseID.app, .gateway]

    private func reads(_ store: any DocumentStore, _ paths: String...) throws -> TransactionReads {
        var reads = TransactionReads(at: store.readTime)
        reads.add(try paths.map { try DocumentPath($0) })
        return reads
    }

    private func reads(_ store: any DocumentStore, _ query: Query) -> TransactionReads {
        var reads = TransactionReads(at: store.readTime)
        reads.add(query)
        return reads
    }

    private func write(_ store: any DocumentStore, ifUnchanged reads: TransactionReads) async throws {
        _ = try await store.commit([.set(DocumentPath("out/a"), [:])], ifUnchanged: reads)
    }

    @Test(
        "A change of a document that was read aborts the commit, which writes nothing", arguments: Engine.all,
        databases)
    func changed(engine: Engine, database: DatabaseID) async throws {
        try await engine.withStore(database) { store async throws in
            try await store.set("t/a")
            let reads = try reads(store, "t/a")
            try await store.set("t/a", ["n": .integer(1)])
            let error = await expectError(.aborted) { try await write(store, ifUnchanged: reads) }
            #expect(error?.message.hasPrefix("Transaction was aborted") == true)
            #expect(try await store.fields("out/a") == nil)
        }
    }

    @Test("The creation and the removal of a document that was read abort the commit", arguments: Engine.all, databases)
    func existence(engine: Engine, database: DatabaseID) async throws {
        try await engine.withStore(database) { store async throws in
            let missing = try reads(store, "t/a")
            try await store.set("t/a")
            await expectError(.aborted) { try await write(store, ifUnchanged: missing) }
            let found = try reads(store, "t/a")
            _ = try await store.commit([.delete(DocumentPath("t/a"))])
            await expectError(.aborted) { try await write(store, ifUnchanged: found) }
        }
    }

    @Test("Other changes, and the commit's own writes, do not abort it", arguments: Engine.all, databases)
    func unchanged(engine: Engine, database: DatabaseID) async throws {
        try await engine.withStore(database) { store async throws in
            try await store.set("t/a")
            let reads = try reads(store, "t/a")
            try await store.set("t/b")
            // Nor does a write that changes nothing.
            try await store.set("t/a")
            _ = try await store.commit([.set(DocumentPath("t/a"), ["n": .integer(1)])], ifUnchanged: reads)
            #expect(try await store.fields("t/a") == ["n": .integer(1)])
            _ = try await store.commit([], ifUnchanged: TransactionReads(at: reads.time))
        }
    }

    @Test("A change aborts the commit if it enters or leaves the result of a query", arguments: Engine.all)
    func queries(engine: Engine) async throws {
        try await engine.withStore(.app) { store async throws in
            let query = Query.collection(try CollectionPath("t")).where("n", .greaterThan, .integer(0))
            let entering = reads(store, query)
            try await store.set("t/a", ["n": .integer(0)])
            try await store.set("t/b/s/c", ["n": .integer(1)])
            try await write(store, ifUnchanged: entering)
            try await store.set("t/a", ["n": .integer(1)])
            await expectError(.aborted) { try await write(store, ifUnchanged: entering) }
            let leaving = reads(store, query)
            try await store.set("t/a", ["n": .integer(0)])
            await expectError(.aborted) { try await write(store, ifUnchanged: leaving) }
        }
    }

    @Test("Of transactions that add to one counter at once, none is lost", arguments: Engine.all)
    func contention(engine: Engine) async throws {
        try await engine.withStore(.app) { store async throws in
            let path = try DocumentPath("t/counter")
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask { try await Self.add(to: path, in: store) }
                }
                try await group.waitForAll()
            }
            #expect(try await store.fields("t/counter") == ["n": .integer(8)])
        }
    }

    /// Adds 1 to a counter, and tries again after each conflict.
    private static func add(to path: DocumentPath, in store: any DocumentStore) async throws {
        while true {
            var reads = TransactionReads(at: store.readTime)
            let count = try await store.snapshot(at: reads.time).document(at: path)?["n"]?.integer ?? 0
            reads.add([path])
            do {
                _ = try await store.commit([.set(path, ["n": .integer(count + 1)])], ifUnchanged: reads)
                return
            } catch {
                guard error.code == .aborted else { throw error }
            }
        }
    }
}
