import DocumentStore
import Testing

@Suite("Conformance: outcomes of transactions")
struct OutcomeTests {
    private static let identity = CommitIdentity(transaction: Array(0..<16), digest: [1, 0, 255])
    private static let increment = FieldTransform("n", .increment(.integer(1)))

    private func commit(
        _ store: any DocumentStore, as identity: CommitIdentity = Self.identity,
        ifUnchanged reads: TransactionReads? = nil
    ) async throws -> CommitResult {
        try await store.commitUnlessCancelled(
            [
                .set(DocumentPath("t/same"), [:]), .delete(DocumentPath("t/none")),
                .merge(DocumentPath("t/n"), [:], mask: [], transforms: [Self.increment]),
            ], with: CommitOptions(ifUnchanged: reads, identity: identity))
    }

    private func expectEqual(_ one: CommitResult?, _ other: CommitResult, _ location: SourceLocation = #_sourceLocation)
    {
        #expect(one?.commitTime == other.commitTime, sourceLocation: location)
        #expect(one?.updateTimes == other.updateTimes, sourceLocation: location)
        for write in other.updateTimes.indices {
            #expect(
                one?.transformResults(ofWrite: write) == other.transformResults(ofWrite: write),
                sourceLocation: location)
        }
    }

    @Test(
        "A repeated commit has the first result, also after other commits, and changes nothing", arguments: Engine.all)
    func repetition(engine: Engine) async throws {
        try await engine.withStore(.app) { store in
            try await store.set("t/same", [:])
            var reads = TransactionReads(at: store.readTime)
            reads.add([try DocumentPath("t/n")])
            let first = try await commit(store, ifUnchanged: reads)
            #expect(first.updateTimes[0].map { $0 < first.commitTime } == true)
            #expect(first.transformResults(ofWrite: 2) == [.integer(1)])
            try await store.set("t/other", [:])
            expectEqual(try await commit(store, ifUnchanged: reads), first)
            expectEqual(try await store.outcome(of: Self.identity), first)
            #expect(try await store.fields("t/n") == ["n": .integer(1)])
        }
    }

    @Test("Another commit with the name of one that succeeded is refused", arguments: Engine.all)
    func otherWrites(engine: Engine) async throws {
        try await engine.withStore(.app) { store in
            _ = try await commit(store)
            let other = CommitIdentity(transaction: Self.identity.transaction, digest: [2])
            await expectError(.invalidArgument) { try await commit(store, as: other) }
            await expectError(.invalidArgument) { try await store.outcome(of: other) }
            #expect(try await store.fields("t/n") == ["n": .integer(1)])
        }
    }

    @Test("A commit that failed, an unknown one, and one of another database have no outcome", arguments: Engine.all)
    func unknown(engine: Engine) async throws {
        try await engine.withEngine { engine in
            let store = engine.store(for: .app)
            #expect(try await store.outcome(of: Self.identity) == nil)
            await expectError(.notFound) {
                try await store.commitUnlessCancelled(
                    [.update(DocumentPath("t/none"), [:])], with: CommitOptions(identity: Self.identity))
            }
            #expect(try await store.outcome(of: Self.identity) == nil)
            _ = try await commit(engine.store(for: DatabaseID(project: "other")))
            #expect(try await store.outcome(of: Self.identity) == nil)
            // The name of a failed commit is free.
            #expect(try await commit(store).transformResults(ofWrite: 2) == [.integer(1)])
        }
    }

    @Test("A database that was emptied has no outcomes, and they are no documents of it before", arguments: Engine.all)
    func removal(engine: Engine) async throws {
        try await engine.withEngine { engine in
            let store = engine.store(for: .app)
            _ = try await commit(store)
            #expect(
                try await store.documents(matching: .descendants(of: nil)).map(\.path.description) == ["t/n", "t/same"])
            #expect(try await store.collectionIDs(below: nil) == ["t"])
            try await engine.removeAll(from: .app)
            #expect(try await store.outcome(of: Self.identity) == nil)
            #expect(try await engine.databases() == [])
        }
    }
}
