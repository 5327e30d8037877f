import Testing

@testable import DocumentStore

@Suite("SQLite: group commit", .timeLimit(.minutes(10)))
struct GroupCommitTests {
    @Test("Commits that wait together share a transaction, each with its own result and time")
    func sharing() async throws {
        let engine = try SQLiteFixture().open()
        let before = engine.committer.groupCount
        let commits = try (0..<40).map { [Write.set(try DocumentPath("t/\($0)"), [:])] }
        let times = try await engine.commitTogether(commits).map { try $0.get().commitTime }
        #expect(engine.committer.groupCount == before + 1)
        #expect(Set(times).count == 40)
        await engine.close()
    }

    @Test("A failing commit in a group leaves nothing behind and does not affect the others")
    func isolation() async throws {
        let engine = try SQLiteFixture().open()
        let store = engine.store(for: .gateway)
        let results = try await engine.commitTogether([
            [.set(DocumentPath("t/a"), ["n": .integer(1)])],
            [.set(DocumentPath("t/b"), [:]), .update(DocumentPath("t/missing"), [:])],
            [.set(DocumentPath("t/c"), ["n": .integer(3)])],
        ])
        #expect(engine.committer.groupCount == 1)
        #expect(results.map { (try? $0.get()) != nil } == [true, false, true])
        #expect((results[1].failure as? StoreError)?.code == .notFound)
        #expect(try await store.ids(.collectionGroup("t")) == ["a", "c"])
        await engine.close()
    }

    @Test("A database whose first commit was rolled back shares its number with no other")
    func rolledBackNumber() async throws {
        let engine = try SQLiteFixture().open()
        let other = engine.store(for: DatabaseID(project: "other"))
        await #expect(throws: StoreError.self) { _ = try await other.commit([.update(DocumentPath("t/missing"), [:])]) }
        let store = engine.store(for: .gateway)
        try await store.set("t/a", [:])
        try await other.set("t/b", [:])
        #expect(try await store.ids(.collectionGroup("t")) == ["a"])
        #expect(try await other.ids(.collectionGroup("t")) == ["b"])
        await engine.close()
    }

    @Test("A group of commits has at most the configured size")
    func maximum() async throws {
        let engine = try SQLiteFixture().open(maximumGroupSize: 8)
        let commits = try (0..<20).map { [Write.set(try DocumentPath("t/\($0)"), [:])] }
        for result in try await engine.commitTogether(commits) { _ = try result.get() }
        #expect(engine.committer.groupCount == 3)
        await engine.close()
    }

    @Test("A group without time takes one commit, and the others follow in their order")
    func time() async throws {
        let engine = try SQLiteFixture().open(maximumGroupTime: .zero)
        let path = try DocumentPath("t/n")
        let transform = FieldTransform("n", .increment(.integer(1)))
        let results = try await engine.commitTogether((0..<5).map { _ in [.merge(path, [:], transforms: [transform])] })
        #expect(engine.committer.groupCount == 5)
        let numbers = try results.compactMap { try $0.get().transformResults(ofWrite: 0).first?.integer }
        #expect(numbers.sorted() == [1, 2, 3, 4, 5])
        await engine.close()
    }

    @Test("A full disk fails the whole group, and commits succeed again once there is space")
    func diskFull() async throws {
        let engine = try SQLiteFixture().open()
        let store = engine.store(for: .gateway)
        try await store.set("t/kept", ["n": .integer(1)])
        let pages = try #require(Int(try await engine.onWriter("PRAGMA page_count")[0]))
        _ = try await engine.onWriter("PRAGMA max_page_count = \(pages + 20)")

        let large = Value.string(String(repeating: "x", count: 200_000))
        let results = try await engine.commitTogether([
            [.set(DocumentPath("t/small"), [:])], [.set(DocumentPath("t/large"), ["x": large])],
            [.set(DocumentPath("t/after"), [:])],
        ])
        for result in results {
            let error = try #require(result.failure as? StoreError)
            #expect(error.code == .resourceExhausted)
            #expect(error.message.contains("free space"))
        }
        #expect(try await store.ids(.collectionGroup("t")) == ["kept"])

        _ = try await engine.onWriter("PRAGMA max_page_count = 1000000")
        try await store.set("t/large", ["x": large])
        #expect(try await store.ids(.collectionGroup("t")) == ["kept", "large"])
        await engine.close()
    }

    @Test("A watch gets the documents of a durable group and none of a failed one")
    func notification() async throws {
        let engine = try SQLiteFixture().open()
        let store = engine.store(for: .gateway)
        var snapshots = store.watch(.collectionGroup("t")).makeAsyncIterator()
        #expect(try await snapshots.next()?.documents.count == 0)
        _ = try await engine.commitTogether([[.update(DocumentPath("t/none"), [:])]])
        _ = try await engine.commitTogether((0..<10).map { [.set(try DocumentPath("t/\($0)"), [:])] })
        #expect(try await snapshots.next()?.documents.count == 10)
        await engine.close()
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
