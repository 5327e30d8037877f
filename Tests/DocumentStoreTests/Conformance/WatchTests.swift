import DocumentStore
import Testing

@Suite("Conformance: watching", .timeLimit(.minutes(10)))
struct WatchTests {
    @Test("A watch returns the current matches, and again after each change", arguments: Engine.all)
    func changes(engine: Engine) async throws {
        try await engine.withStore { store in
            try await store.set("t/a", ["n": .integer(1)])
            var snapshots = store.watch(.collection(try CollectionPath("t"))).makeAsyncIterator()
            #expect(try await snapshots.next()?.documents.map(\.path.id) == ["a"])
            let commit = try await store.commit([.set(DocumentPath("t/b"), [:])])
            let second = try #require(try await snapshots.next())
            #expect(second.documents.map(\.path.id) == ["a", "b"])
            #expect(second.readTime == commit.commitTime)
            _ = try await store.commit([.delete(DocumentPath("t/a"))])
            #expect(try await snapshots.next()?.documents.map(\.path.id) == ["b"])
        }
    }

    @Test("A slow reader of a watch gets the newest state and no intermediate ones", arguments: Engine.all)
    func coalescing(engine: Engine) async throws {
        try await engine.withStore { store in
            var snapshots = store.watch(.collection(try CollectionPath("t"))).makeAsyncIterator()
            #expect(try await snapshots.next()?.documents == [])
            for index in 1...20 { try await store.set("t/a", ["n": .integer(Int64(index))]) }
            #expect(try await snapshots.next()?.documents.first?["n"] == .integer(20))
            try await store.set("t/a", ["n": .integer(21)])
            #expect(try await snapshots.next()?.documents.first?["n"] == .integer(21))
        }
    }

    @Test("A commit that does not change the result produces no snapshot", arguments: Engine.all)
    func unrelated(engine: Engine) async throws {
        try await engine.withStore { store in
            let query = Query.collection(try CollectionPath("t")).where("n", .greaterThan, .integer(5))
            var snapshots = store.watch(query).makeAsyncIterator()
            #expect(try await snapshots.next()?.documents == [])
            try await store.set("u/a", ["n": .integer(6)])
            try await store.set("t/below", ["n": .integer(1)])
            try await store.set("t/a/t/deeper", ["n": .integer(9)])
            let commit = try await store.commit([.set(DocumentPath("t/above"), ["n": .integer(7)])])
            let next = try #require(try await snapshots.next())
            #expect(next.documents.map(\.path.id) == ["above"])
            #expect(next.readTime == commit.commitTime)
        }
    }

    @Test("A change wakes a waiting reader of a watch", arguments: Engine.all)
    func waking(engine: Engine) async throws {
        try await engine.withStore { store in
            let watch = store.watch(.collectionGroup("t"))
            let counts = AsyncStream<Int>.makeStream()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await snapshot in watch {
                        counts.continuation.yield(snapshot.documents.count)
                        if snapshot.documents.count == 3 { return counts.continuation.finish() }
                    }
                }
                var seen = counts.stream.makeAsyncIterator()
                #expect(await seen.next() == 0)
                for index in 1...3 {
                    try await store.set("t/\(index)")
                    #expect(await seen.next() == index)
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("A watch ends when the store closes", arguments: Engine.all)
    func closing(engine: Engine) async throws {
        let open = try await engine.open(TestClock())
        let watch = open.store(.gateway).watch(.collectionGroup("t"))
        let started = AsyncStream<Void>.makeStream()
        async let count = watch.reduce(0) { count, _ in
            started.continuation.yield()
            return count + 1
        }
        var first = started.stream.makeAsyncIterator()
        await first.next()
        await open.close()
        #expect(try await count == 1)
        var late = open.store(.gateway).watch(.collectionGroup("t")).makeAsyncIterator()
        #expect(try await late.next() == nil)
    }

    @Test("A watch ends when its reading task is cancelled", arguments: Engine.all)
    func cancelling(engine: Engine) async throws {
        try await engine.withStore { store in
            let watch = store.watch(.collectionGroup("t"))
            let started = AsyncStream<Void>.makeStream()
            let reader = Task {
                for try await _ in watch { started.continuation.yield() }
            }
            var first = started.stream.makeAsyncIterator()
            await first.next()
            reader.cancel()
            try await reader.value
            try await store.set("t/a")
        }
    }

    @Test("An invalid query ends its watch with an error", arguments: Engine.all)
    func refusal(engine: Engine) async throws {
        try await engine.withStore { store in
            var snapshots = store.watch(.collectionGroup("a/b")).makeAsyncIterator()
            await expectError(.invalidArgument) { try await snapshots.next() }
        }
    }
}
