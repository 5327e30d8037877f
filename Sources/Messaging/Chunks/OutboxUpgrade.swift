import DocumentStore

/// The migration of chunks that older versions stored in `messages/{id}/chunks`.
struct OutboxUpgrade {
    let store: any DocumentStore

    private static let collection = "chunks"
    /// The number of names that are read at once: the store scans all remaining ones each time.
    private static let page = 10_000
    /// The number of chunks that are moved in one commit.
    private static let batch = 100

    /// Moves all remaining chunks.
    ///
    /// - Returns: the number of moved chunks.
    func run() async throws(StoreError) -> Int {
        var count = 0
        var last: DocumentPath?
        while true {
            let paths = try await paths(after: last, limit: Self.page)
            var rest = paths[...]
            while !rest.isEmpty {
                count += try await move(rest.prefix(Self.batch))
                rest = rest.dropFirst(Self.batch)
            }
            guard paths.count == Self.page, let end = paths.last else { return count }
            last = end
        }
    }

    /// Moves chunks. Those that cannot be read stay.
    private func move(_ paths: ArraySlice<DocumentPath>) async throws(StoreError) -> Int {
        var writes: [Write] = []
        for case .success(let chunk?) in try await store.outcomes(at: Array(paths)) {
            guard let message = chunk.path.collection.parent else { continue }
            writes.append(.set(try message.document(chunk.path.id, in: OutboxDocuments.messages), chunk.fields))
            writes.append(.delete(chunk.path))
        }
        if !writes.isEmpty { _ = try await store.commit(writes) }
        return writes.count / 2
    }

    /// Returns `true` if a chunk is left that can be moved.
    func isNeeded() async throws(StoreError) -> Bool {
        try await !store.documents(matching: query(after: nil, limit: 1)).isEmpty
    }

    private func paths(after last: DocumentPath?, limit: Int) async throws(StoreError) -> [DocumentPath] {
        var query = try query(after: last, limit: limit)
        query.projection = []
        return try await store.documents(matching: query).map(\.path)
    }

    /// Returns a query for the chunks of the outbox, without those of other collections with the same name.
    private func query(after last: DocumentPath?, limit: Int) throws(StoreError) -> Query {
        var query = Query.collectionGroup(Self.collection).ordered(by: .documentName).limited(to: limit)
        // The smallest and the largest possible path.
        let start = if let last { last } else { try path("\u{1}") }
        query.start = Cursor([try reference(start)], isAfter: last != nil)
        query.end = Cursor([try reference(try path("\u{10FFFF}"))], isAfter: true)
        return query
    }

    private func path(_ id: String) throws(StoreError) -> DocumentPath {
        try OutboxDocuments.messagePath(id).document(id, in: Self.collection)
    }

    private func reference(_ path: DocumentPath) throws(StoreError) -> Value {
        .reference(path.name(in: store.database))
    }
}
