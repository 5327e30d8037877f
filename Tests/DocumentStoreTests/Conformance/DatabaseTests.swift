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

    @Test("Databases whose names are canonically equivalent are different ones", arguments: Engine.all)
    func equivalentNames(engine: Engine) async throws {
        // One scalar, a letter and a mark; a letter and a sign that looks like it.
        let databases = ["caf\u{E9}", "cafe\u{301}", "K", "\u{212A}"].map { DatabaseID(project: $0) }
        try await engine.withEngine { engine async throws in
            for (number, database) in databases.enumerated() {
                try await engine.store(for: database).set("t/a", ["n": .integer(Int64(number))])
            }
            for (number, database) in databases.enumerated() {
                #expect(try await engine.store(for: database).fields("t/a") == ["n": .integer(Int64(number))])
            }
            #expect(try await Set(engine.databases()) == Set(databases))
            try await engine.removeAll(from: databases[0])
            #expect(try await Set(engine.databases()) == Set(databases.dropFirst()))
        }
    }

    @Test("A name with U+0000 is not the name before it, but another database, or is refused", arguments: Engine.all)
    func endedNames(engine: Engine) async throws {
        let ended = [
            DatabaseID(project: "app\u{0}"), DatabaseID(project: "app\u{0}b"),
            DatabaseID(project: "app", database: "(default)\u{0}"),
        ]
        try await engine.withEngine { engine async throws in
            try await engine.store(for: .app).set("t/a", ["n": .integer(1)])
            for database in ended {
                if engine is SQLiteEngine {
                    #expect(try await engine.store(for: database).fields("t/a") == nil)
                    try await engine.store(for: database).set("t/a", ["n": .integer(2)])
                    try await engine.removeAll(from: database)
                } else {
                    await expectError(.invalidArgument) { try await engine.store(for: database).fields("t/a") }
                    await expectError(.invalidArgument) { try await engine.store(for: database).set("t/a") }
                    await expectError(.invalidArgument) { try await engine.removeAll(from: database) }
                }
            }
            #expect(try await engine.store(for: .app).fields("t/a") == ["n": .integer(1)])
            #expect(try await engine.databases() == [.app])
        }
    }
}
