import DocumentStore
import Testing

@Suite("Conformance: stores in front of others", .timeLimit(.minutes(10)))
struct DecoratorTests {
    /// A store that changes nothing.
    private struct PlainStore: StoreDecorator {
        let base: any DocumentStore
    }

    /// A store that hides one document from reads by paths.
    private struct HidingStore: StoreDecorator {
        let base: any DocumentStore
        let hidden: DocumentPath

        func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
            try await base.documents(at: paths).map { $0?.path == hidden ? nil : $0 }
        }
    }

    @Test("A store that changes nothing reads what the one behind it reads", arguments: Engine.all)
    func reads(engine: Engine) async throws {
        try await engine.withStore(.app) { base async throws in
            let store: any DocumentStore = PlainStore(base: base)
            let collection = try CollectionPath("t")
            let query = Query.collection(collection)
            let paths = [try DocumentPath("t/a"), try DocumentPath("t/none")]
            try await base.set("t/a", ["n": .integer(1)])
            try await base.set("t/b/u/c", ["n": .integer(2)])
            #expect(store.database == .app)
            #expect(store.readTime == base.readTime)
            #expect(try await store.presentTime() >= base.readTime)
            let documents = try await base.documents(at: paths)
            #expect(documents[0] != nil)
            #expect(try await store.documents(at: paths) == documents)
            #expect(try await store.ids(query) == ["a"])
            let both = try await store.documents(at: paths, matching: query)
            #expect(both.named == documents)
            #expect(both.matching.map(\.path.id) == ["a"])
            #expect(try await store.results(of: query).next()?.map(\.path.id) == ["a"])
            #expect(try await store.count(query) == 1)
            let list = try await store.listing(of: collection, after: nil, limit: 9, projection: nil)
            #expect(list.map(\.path.id) == ["a", "b"])
            #expect(try await store.collectionIDs(below: DocumentPath("t/b")) == ["u"])
            #expect(try await store.snapshot(at: store.readTime).documents(at: paths) == documents)
            let past = try await store.snapshot(at: store.readTime).documents(at: paths, matching: query)
            #expect(past.named == documents)
        }
    }

    @Test("A store that changes nothing commits to the one behind it, and reports its changes", arguments: Engine.all)
    func commits(engine: Engine) async throws {
        try await engine.withStore(.app) { base async throws in
            let store: any DocumentStore = PlainStore(base: base)
            let listener = store.listener()
            var snapshots = store.watch(.collection(try CollectionPath("t"))).makeAsyncIterator()
            #expect(try await snapshots.next()?.documents == [])
            let identity = CommitIdentity(transaction: Array(0..<16), digest: [1])
            let result = try await store.commitUnlessCancelled(
                [.set(DocumentPath("t/a"), ["n": .integer(1)])], with: CommitOptions(identity: identity))
            #expect(try await base.fields("t/a") == ["n": .integer(1)])
            #expect(try await store.outcome(of: identity)?.commitTime == result.commitTime)
            #expect(try await snapshots.next()?.documents.map(\.path.id) == ["a"])
            #expect(try await listener.next(upTo: result.commitTime).readTime >= result.commitTime)
        }
    }

    @Test("A store's own read takes the place of that behind it, and of no other read", arguments: Engine.all)
    func ownReads(engine: Engine) async throws {
        try await engine.withStore(.app) { base async throws in
            try await base.set("t/a")
            try await base.set("t/b")
            let store: any DocumentStore = HidingStore(base: base, hidden: try DocumentPath("t/a"))
            #expect(try await store.fields("t/a") == nil)
            #expect(try await store.fields("t/b") == [:])
            #expect(try await store.ids(.collection(CollectionPath("t"))) == ["a", "b"])
        }
    }
}
