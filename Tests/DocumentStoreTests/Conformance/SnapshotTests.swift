import DocumentStore
import Testing

@Suite("Conformance: reads at an earlier time")
struct SnapshotTests {
    /// Commits three states of one database, and returns the times of the first two.
    private func commitStates(_ store: any DocumentStore) async throws -> (first: Timestamp, second: Timestamp) {
        let first = try await store.commit([
            .set(DocumentPath("t/a"), ["n": .integer(1)]), .set(DocumentPath("t/b"), ["n": .integer(2)]),
            .set(DocumentPath("t/b/s/x"), ["n": .integer(3)]),
        ]).commitTime
        let second = try await store.commit([
            .set(DocumentPath("t/a"), ["n": .integer(10)]), .delete(DocumentPath("t/b")),
            .set(DocumentPath("t/c"), ["n": .integer(4)]),
        ]).commitTime
        _ = try await store.commit([
            .delete(DocumentPath("t/a")), .set(DocumentPath("t/b"), ["n": .integer(20)]),
            .delete(DocumentPath("t/b/s/x")), .set(DocumentPath("u/a"), ["n": .integer(5)]),
        ])
        return (first, second)
    }

    private func numbers(_ documents: [Document?]) -> [Int64?] { documents.map { $0?["n"]?.integer } }

    @Test("Documents are read as they were, with their times", arguments: Engine.all)
    func documents(engine: Engine) async throws {
        try await engine.withStore(.app) { store async throws in
            let (first, second) = try await commitStates(store)
            let paths = try ["t/a", "t/b", "t/c", "t/b/s/x", "u/a"].map { try DocumentPath($0) }
            let before = try await store.snapshot(at: first.adding(.microseconds(-1))).documents(at: paths)
            #expect(numbers(before) == [nil, nil, nil, nil, nil])
            let one = try await store.snapshot(at: first).documents(at: paths)
            #expect(numbers(one) == [1, 2, nil, 3, nil])
            #expect(one[0]?.updateTime == first)
            let two = try await store.snapshot(at: second).documents(at: paths)
            #expect(numbers(two) == [10, nil, 4, 3, nil])
            #expect(two[0]?.createTime == first)
            #expect(two[0]?.updateTime == second)
            let now = try await store.snapshot(at: store.readTime).documents(at: paths)
            #expect(numbers(now) == [nil, 20, 4, nil, 5])
        }
    }

    @Test("Queries, aggregations and lists are those of the time", arguments: Engine.all)
    func queries(engine: Engine) async throws {
        try await engine.withStore(.app) { store async throws in
            let (first, second) = try await commitStates(store)
            let one = try await store.snapshot(at: first)
            let two = try await store.snapshot(at: second)
            let t = Query.collection(try CollectionPath("t"))
            let descending = t.where("n", .greaterThan, .integer(1)).ordered(by: "n", .descending)
            #expect(try await one.documents(matching: t).map(\.path.id) == ["a", "b"])
            #expect(try await two.documents(matching: t).map(\.path.id) == ["a", "c"])
            #expect(try await one.documents(matching: descending).map(\.path.id) == ["b"])
            #expect(try await two.documents(matching: descending).map(\.path.id) == ["a", "c"])
            #expect(try await two.documents(matching: descending.limited(to: 1)).map(\.path.id) == ["a"])
            #expect(try await two.aggregate([.count, .sum("n")], over: t) == [.integer(2), .integer(14)])
            #expect(try await one.count(.descendants(of: nil)) == 3)
            let list = try await two.listing(of: CollectionPath("t"), after: nil, limit: 9, projection: nil)
            #expect(list.map { $0.document == nil ? "(\($0.path.id))" : $0.path.id } == ["a", "(b)", "c"])
            #expect(try await two.collectionIDs(below: nil) == ["t"])
            #expect(try await two.collectionIDs(below: DocumentPath("t/b")) == ["s"])
            #expect(try await store.collectionIDs(below: DocumentPath("t/b")) == [])
        }
    }

    @Test("A long result at a time has all documents of the time, and its time", arguments: Engine.all)
    func results(engine: Engine) async throws {
        try await engine.withStore(.app) { store async throws in
            let paths = try (0..<1_000).map { try DocumentPath("t/\(1_000 + $0)") }
            let time = try await store.commit(paths.map { .set($0, ["n": .integer(1)]) }).commitTime
            _ = try await store.commit(paths.map { .set($0, ["n": .integer(2)]) })
            _ = try await store.commit(paths.map { .delete($0) })
            let results = try await store.snapshot(at: time).results(of: .collection(CollectionPath("t")))
            #expect(results.readTime == time)
            var read: [Document] = []
            while let piece = try await results.next() { read += piece }
            #expect(read.map(\.path) == paths)
            #expect(read.allSatisfy { $0["n"] == .integer(1) })
        }
    }

    @Test("A snapshot does not change with later commits", arguments: Engine.all)
    func stability(engine: Engine) async throws {
        let clock = TestClock()
        try await engine.withStore(.app, clock: clock) { store async throws in
            try await store.set("t/a", ["n": .integer(1)])
            clock.advance(by: .seconds(1))
            // No commit has this time, and none will.
            let snapshot = try await store.snapshot(at: clock.now)
            try await store.set("t/a", ["n": .integer(2)])
            #expect(try await snapshot.document(at: DocumentPath("t/a"))?["n"] == .integer(1))
            #expect(try await store.commit([]).commitTime > clock.now)
        }
    }

    @Test("A time in the future, or of more than an hour ago, is refused", arguments: Engine.all)
    func limits(engine: Engine) async throws {
        let clock = TestClock()
        try await engine.withStore(.app, clock: clock) { store async throws in
            let time = try await store.commit([.set(DocumentPath("t/a"), [:])]).commitTime
            let future = await expectError(.invalidArgument) {
                try await store.snapshot(at: clock.now.adding(.seconds(1)))
            }
            #expect(future?.message == "The requested 'read_time' cannot be in the future.")
            try await store.set("t/b")
            clock.advance(by: .seconds(3_599))
            #expect(try await store.snapshot(at: time).count(.descendants(of: nil)) == 1)
            clock.advance(by: .seconds(2))
            let old = await expectError(.failedPrecondition) { try await store.snapshot(at: time) }
            #expect(old?.message == "The requested 'read_time' is too old.")
        }
    }

    @Test(
        "The present state can be read by its time however old it is, in a database of either kind",
        arguments: Engine.all)
    func idle(engine: Engine) async throws {
        let clock = TestClock()
        for database in [DatabaseID.app, .gateway] {
            try await engine.withStore(database, clock: clock) { store async throws in
                let time = try await store.commit([.set(DocumentPath("t/a"), [:])]).commitTime
                clock.advance(by: .seconds(7_200))
                #expect(try await store.snapshot(at: time).count(.descendants(of: nil)) == 1)
                #expect(try await store.snapshot(at: store.readTime).count(.descendants(of: nil)) == 1)
            }
        }
    }

    @Test("A database without versions has the states since its last change only", arguments: Engine.all)
    func withoutVersions(engine: Engine) async throws {
        try await engine.withStore(.gateway) { store async throws in
            let first = try await store.commit([.set(DocumentPath("t/a"), [:])]).commitTime
            #expect(try await store.snapshot(at: first).count(.descendants(of: nil)) == 1)
            let snapshot = try await store.snapshot(at: first)
            try await store.set("t/b")
            await expectError(.failedPrecondition) { try await snapshot.count(.descendants(of: nil)) }
            await expectError(.failedPrecondition) { try await store.snapshot(at: first) }
        }
    }
}
