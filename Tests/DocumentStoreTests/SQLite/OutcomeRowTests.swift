import Testing

@testable import DocumentStore

@Suite("SQLite: outcomes of transactions", .timeLimit(.minutes(10)))
struct OutcomeRowTests {
    private static let identity = CommitIdentity(transaction: Array(0..<16), digest: [1])

    private func count(_ engine: SQLiteEngine) async throws -> String? {
        try await engine.onWriter("SELECT count(*) FROM outcomes").first
    }

    private func commit(_ store: SQLiteDocumentStore, as identity: CommitIdentity?) async throws -> CommitResult {
        try await store.commitUnlessCancelled(
            [.merge(DocumentPath("t/n"), [:], transforms: [FieldTransform("n", .increment(.integer(1)))])],
            with: CommitOptions(identity: identity))
    }

    @Test("An engine that is opened again answers a repeated commit, and the file has rows for transactions only")
    func reopened() async throws {
        let fixture = try SQLiteFixture()
        let first = try fixture.open()
        let result = try await commit(first.store(for: .app), as: Self.identity)
        _ = try await commit(first.store(for: .app), as: nil)
        _ = try await first.store(for: .app).commitUnlessCancelled(
            [], with: CommitOptions(identity: CommitIdentity(transaction: [2], digest: [])))
        #expect(try await count(first) == "1")
        await first.close()
        let second = try fixture.open()
        let repeated = try await commit(second.store(for: .app), as: Self.identity)
        #expect(repeated.commitTime == result.commitTime)
        #expect(repeated.transformResults(ofWrite: 0) == [.integer(1)])
        #expect(try await second.store(for: .app).fields("t/n") == ["n": .integer(2)])
        await second.close()
    }

    @Test("Old outcomes are deleted, and those of the last hour are kept")
    func pruning() async throws {
        let fixture = try SQLiteFixture()
        let first = try fixture.open()
        _ = try await commit(first.store(for: .gateway), as: Self.identity)
        fixture.clock.advance(by: .seconds(3_600))
        let young = CommitIdentity(transaction: [9], digest: [1])
        _ = try await commit(first.store(for: .gateway), as: young)
        await first.close()
        let second = try fixture.open()
        #expect(try await second.store(for: .gateway).outcome(of: Self.identity) != nil)
        await second.close()
        fixture.clock.advance(by: .seconds(1_200))
        let third = try fixture.open()
        while try await count(third) != "1" { await Task.yield() }
        #expect(try await third.store(for: .gateway).outcome(of: Self.identity) == nil)
        #expect(try await third.store(for: .gateway).outcome(of: young) != nil)
        await third.close()
    }

    @Test("The outcomes of a database that was emptied are erased")
    func removed() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        _ = try await commit(engine.store(for: .app), as: Self.identity)
        try await engine.removeAll(from: .app)
        while try await count(engine) != "0" { await Task.yield() }
        await engine.close()
    }
}
