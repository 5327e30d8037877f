import DocumentStore
import Testing

@Suite("Conformance: listing documents with missing ones")
struct ListingTests {
    private static let paths = [
        "t/a", "t/b/s/x", "t/b/u/y", "t/b\u{0}/s/x", "t/b!", "t/c/s/t/u/deep", "t/d", "t/d/s/x", "t/é/s/x", "u/a",
        "t2/a",
    ]
    /// The ids in `t`, in order; those in parentheses are missing.
    private static let listed = ["a", "(b)", "(b\u{0})", "b!", "(c)", "d", "(é)"]

    private func withDocuments(_ engine: Engine, _ body: (any DocumentStore) async throws -> Void) async throws {
        try await engine.withStore { store async throws in
            _ = try await store.commit(Self.paths.map { Write.set(try DocumentPath($0), ["f": .string($0)]) })
            try await body(store)
        }
    }

    private func list(
        _ collection: String, after id: String? = nil, limit: Int = 100, _ store: any DocumentStore
    ) async throws -> [String] {
        try await store.listing(of: CollectionPath(collection), after: id, limit: limit, projection: nil)
            .map { $0.document == nil ? "(\($0.path.id))" : $0.path.id }
    }

    @Test("Missing documents with documents below them are listed in their place", arguments: Engine.all)
    func whole(engine: Engine) async throws {
        try await withDocuments(engine) { store async throws in
            #expect(try await list("t", store) == Self.listed)
            #expect(try await list("t/c/s", store) == ["(t)"])
            #expect(try await list("t/d/s", store) == ["x"])
            #expect(try await list("none", store) == [])
        }
    }

    @Test("A list is read page by page, also after an id that does not exist", arguments: Engine.all)
    func pages(engine: Engine) async throws {
        try await withDocuments(engine) { store async throws in
            for size in 1...8 {
                var seen: [String] = []
                var last: String?
                while true {
                    let page = try await store.listing(
                        of: CollectionPath("t"), after: last, limit: size, projection: [])
                    #expect(page.count <= size)
                    seen += page.map { $0.document == nil ? "(\($0.path.id))" : $0.path.id }
                    guard page.count == size else { break }
                    last = page.last?.path.id
                }
                #expect(seen == Self.listed)
            }
            #expect(try await list("t", after: "bb", store) == ["(c)", "d", "(é)"])
            #expect(try await list("t", limit: 0, store) == [])
        }
    }

    @Test("A list has the projected fields of its documents", arguments: Engine.all)
    func projection(engine: Engine) async throws {
        try await withDocuments(engine) { store async throws in
            let all = try await store.listing(of: CollectionPath("t"), after: nil, limit: 1, projection: nil)
            #expect(all.first?.document?.fields == ["f": .string("t/a")])
            let none = try await store.listing(of: CollectionPath("t"), after: nil, limit: 1, projection: [])
            #expect(none.first?.document?.fields == [:])
        }
    }

    @Test("An invalid list is refused", arguments: Engine.all)
    func refused(engine: Engine) async throws {
        try await withDocuments(engine) { store async throws in
            let collection = try CollectionPath("t")
            await expectError(.invalidArgument) {
                try await store.listing(of: collection, after: nil, limit: -1, projection: nil)
            }
            await expectError(.invalidArgument) {
                try await store.listing(of: collection, after: "a/b", limit: 1, projection: nil)
            }
        }
    }
}
