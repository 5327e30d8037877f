import DocumentStore
import Testing

@Suite("Conformance: scopes")
struct ScopeTests {
    /// The paths in the order of names.
    private static let sorted = [
        "a/1", "a/1/s/x", "a/1/s/x/t/deep", "a/1/s/y", "a/1/u/missing/s/z", "a/1!/s/w", "a/2", "a!/1", "b/1",
        "b/1\u{0}/s/v", "é/1/s/x",
    ]

    private func withDocuments(_ engine: Engine, _ body: (any DocumentStore) async throws -> Void) async throws {
        try await engine.withStore { store async throws in
            _ = try await store.commit(
                Self.sorted.reversed().map { Write.set(try DocumentPath($0), ["f": .string($0)]) })
            try await body(store)
        }
    }

    private func paths(_ query: Query, _ store: any DocumentStore) async throws -> [String] {
        try await store.documents(matching: query).map(\.path.description)
    }

    private func name(_ path: String) throws -> Value { .reference(try DocumentPath(path).name(in: .gateway)) }

    @Test("Descendants are the documents of all collections at any depth, in the order of names", arguments: Engine.all)
    func descendants(engine: Engine) async throws {
        try await withDocuments(engine) { store async throws in
            #expect(try await paths(.descendants(of: nil), store) == Self.sorted)
            let below = ["a/1/s/x", "a/1/s/x/t/deep", "a/1/s/y", "a/1/u/missing/s/z"]
            let query = Query.descendants(of: try DocumentPath("a/1"))
            #expect(try await paths(query, store) == below)
            #expect(try await paths(query.ordered(by: .documentName, .descending), store) == below.reversed())
            #expect(try await paths(.descendants(of: DocumentPath("a/1/u/missing")), store) == ["a/1/u/missing/s/z"])
            #expect(try await paths(.descendants(of: DocumentPath("a/2")), store) == [])
            #expect(try await store.count(query) == 4)
        }
    }

    @Test(
        "Children are the documents of all collections directly below a document or at the root", arguments: Engine.all)
    func children(engine: Engine) async throws {
        try await withDocuments(engine) { store async throws in
            #expect(try await paths(.children(of: nil), store) == ["a/1", "a/2", "a!/1", "b/1"])
            #expect(try await paths(.children(of: DocumentPath("a/1")), store) == ["a/1/s/x", "a/1/s/y"])
            #expect(try await paths(.children(of: DocumentPath("b/1\u{0}")), store) == ["b/1\u{0}/s/v"])
            #expect(try await paths(.children(of: DocumentPath("é/1")), store) == ["é/1/s/x"])
            #expect(try await paths(.children(of: DocumentPath("a/2")), store) == [])
        }
    }

    @Test("A query over collections of any id takes conditions on names, cursors and limits", arguments: Engine.all)
    func names(engine: Engine) async throws {
        try await withDocuments(engine) { store async throws in
            let all = Query.descendants(of: try DocumentPath("a/1"))
            let later = all.where(.documentName, .greaterThan, try name("a/1/s/x"))
            #expect(try await paths(later, store) == ["a/1/s/x/t/deep", "a/1/s/y", "a/1/u/missing/s/z"])
            #expect(try await paths(later.limited(to: 1), store) == ["a/1/s/x/t/deep"])
            let either = all.where(.documentName, .in, .array([try name("a/1/s/y"), try name("b/1")]))
            #expect(try await paths(either, store) == ["a/1/s/y"])
            var page = all.ordered(by: .documentName)
            page.start = Cursor([try name("a/1/s/x/t/deep")], isAfter: true)
            page.offset = 1
            #expect(try await paths(page, store) == ["a/1/u/missing/s/z"])
        }
    }

    @Test("A query over collections of any id refuses conditions on fields", arguments: Engine.all)
    func fields(engine: Engine) async throws {
        try await withDocuments(engine) { store async throws in
            let document = try DocumentPath("a/1")
            for all in [Query.descendants(of: nil), .children(of: nil), .descendants(of: document)] {
                let filter = await expectError(.invalidArgument) {
                    try await store.documents(matching: all.where("n", .equal, .integer(1)))
                }
                #expect(filter?.message == "kind is required for filter: n")
                let order = await expectError(.invalidArgument) {
                    try await store.documents(matching: all.ordered(by: "n"))
                }
                #expect(order?.message == "kind is required for all orders except __key__ ascending")
            }
        }
    }

    @Test("A watch of all descendants sees documents in new collections", arguments: Engine.all)
    func watch(engine: Engine) async throws {
        try await engine.withStore { store async throws in
            var snapshots = store.watch(.descendants(of: try DocumentPath("a/1"))).makeAsyncIterator()
            #expect(try await snapshots.next()?.documents.isEmpty == true)
            try await store.set("b/1/new/x")
            try await store.set("a/1/new/x")
            #expect(try await snapshots.next()?.documents.map(\.path.description) == ["a/1/new/x"])
        }
    }
}
