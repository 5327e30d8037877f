import DocumentStore
import Testing

@Suite("Conformance: reads")
struct ReadTests {
    @Test("Documents come back in the requested order, with nil for missing ones", arguments: Engine.all)
    func several(engine: Engine) async throws {
        try await engine.withStore { store in
            let paths = try ["t/b", "t/none", "t/a", "t/b"].map { try DocumentPath($0) }
            #expect(try await store.documents(at: paths) == [nil, nil, nil, nil])
            try await store.set("t/a", ["n": .integer(1)])
            try await store.set("t/b", ["n": .integer(2)])
            let documents = try await store.documents(at: paths)
            #expect(documents.map { $0?["n"] } == [.integer(2), nil, .integer(1), .integer(2)])
            #expect(documents.map { $0?.path } == [paths[0], nil, paths[2], paths[3]])
            #expect(try await store.documents(at: []) == [])
        }
    }

    @Test("One read returns documents by path together with the matches of a query", arguments: Engine.all)
    func both(engine: Engine) async throws {
        try await engine.withStore { store in
            let paths = [try DocumentPath("t/b"), try DocumentPath("t/none")]
            let query = Query.collection(try CollectionPath("t/b/u"))
            let nothing = try await store.documents(at: paths, matching: query)
            #expect(nothing.named == [nil, nil])
            #expect(nothing.matching.isEmpty)
            for path in ["t/b", "t/b/u/2", "t/b/u/1", "t/b/v/3"] { try await store.set(path, ["at": .string(path)]) }
            let read = try await store.documents(at: paths, matching: query)
            #expect(read.named.map { $0?["at"]?.string } == ["t/b", nil])
            #expect(read.matching.map { $0["at"]?.string } == ["t/b/u/1", "t/b/u/2"])
        }
    }

    @Test("Ids that look alike but have different bytes are different documents", arguments: Engine.all)
    func normalization(engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.set("t/\u{E9}", ["form": .string("composed")])
            try await store.set("t/e\u{301}", ["form": .string("decomposed")])
            #expect(try await store.fields("t/\u{E9}") == ["form": .string("composed")])
            #expect(try await store.fields("t/e\u{301}") == ["form": .string("decomposed")])
        }
    }

    @Test("Collection ids are found directly below a document and at the root", arguments: Engine.all)
    func collections(engine: Engine) async throws {
        try await engine.withStore { store in
            #expect(try await store.collectionIDs(below: nil) == [])
            let paths = [
                "b/1", "a/1", "a/2", "a!/1", "c/none/x/1", "a/1/y/1/z/1", "a/1/w/1", "a/1/w/2", "a/1/w\u{0}/2",
                "a/1\u{0}/v/1",
            ]
            for path in paths { try await store.set(path) }
            #expect(try await store.collectionIDs(below: nil) == ["a", "a!", "b", "c"])
            #expect(try await store.collectionIDs(below: DocumentPath("a/1")) == ["w", "w\u{0}", "y"])
            #expect(try await store.collectionIDs(below: DocumentPath("c/none")) == ["x"])
            #expect(try await store.collectionIDs(below: DocumentPath("b/1")) == [])
            _ = try await store.commit([.delete(DocumentPath("b/1"))])
            #expect(try await store.collectionIDs(below: nil) == ["a", "a!", "c"])
        }
    }

    @Test("A committed write is visible to the next read", arguments: Engine.all)
    func readYourWrites(engine: Engine) async throws {
        try await engine.withStore { store in
            for index in 0..<50 {
                try await store.set("t/d", ["n": .integer(Int64(index))])
                #expect(try await store.fields("t/d") == ["n": .integer(Int64(index))])
            }
        }
    }

    @Test("A closed store refuses requests with UNAVAILABLE", arguments: Engine.all)
    func closed(engine: Engine) async throws {
        let open = try await engine.open(TestClock())
        let store = open.store(.gateway)
        try await store.set("t/a")
        await open.close()
        await open.close()
        await expectError(.unavailable) { try await store.set("t/b") }
        await expectError(.unavailable) { try await store.fields("t/a") }
        await expectError(.unavailable) { try await store.count(.collectionGroup("t")) }
        await expectError(.unavailable) { try await store.snapshot(at: store.readTime) }
        // The clock stands at the time of the last commit, so there is no commit to wait for.
        await expectError(.unavailable) { try await store.presentTime() }
        await expectError(.unavailable) { try await open.engine.removeAll(from: .gateway) }
    }

    @Test("Closing the store finishes the pending commits", arguments: Engine.all)
    func closingFinishes(engine: Engine) async throws {
        let open = try await engine.open(TestClock())
        let store = open.store(.gateway)
        let outcomes = await withTaskGroup(of: StoreError.Code?.self) { group in
            for index in 0..<200 {
                group.addTask {
                    do {
                        try await store.set("t/\(index)")
                        return nil
                    } catch {
                        return (error as? StoreError)?.code ?? .internal
                    }
                }
            }
            await open.close()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0 == nil || $0 == .unavailable })
    }
}
