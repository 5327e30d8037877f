internal import DocumentStore

/// Moves the chunks that older versions have stored to where this one looks for them: they were in `messages/{id}/chunks`.
struct OutboxUpgrade {
    let store: any DocumentStore

    private static let collection = "chunks"
    /// How many chunks are moved in one commit.
    private static let batch = 100

    /// Moves all that are left.
    ///
    /// - Returns: how many those were.
    func run() async throws(StoreError) -> Int {
        var count = 0
        var last: DocumentPath?
        while true {
            let chunks = try await chunks(after: last, limit: Self.batch)
            var writes: [Write] = []
            for chunk in chunks {
                guard let message = chunk.path.collection.parent else { continue }
                writes.append(.set(try message.document(chunk.path.id, in: OutboxDocuments.messages), chunk.fields))
                writes.append(.delete(chunk.path))
                count += 1
            }
            if !writes.isEmpty { _ = try await store.commit(writes) }
            guard chunks.count == Self.batch, let end = chunks.last?.path else { return count }
            last = end
        }
    }

    /// Returns whether there is anything left.
    func isNeeded() async throws(StoreError) -> Bool { try await !chunks(after: nil, limit: 1).isEmpty }

    /// The chunks of the outbox, and not those of others who call a collection the same.
    private func chunks(after last: DocumentPath?, limit: Int) async throws(StoreError) -> [Document] {
        var query = Query.collectionGroup(Self.collection).ordered(by: .documentName).limited(to: limit)
        // The first and the last path that there can be.
        let start = if let last { last } else { try path("\u{1}") }
        query.start = Cursor([try reference(start)], isAfter: last != nil)
        query.end = Cursor([try reference(try path("\u{10FFFF}"))], isAfter: true)
        return try await store.documents(matching: query)
    }

    private func path(_ id: String) throws(StoreError) -> DocumentPath {
        try OutboxDocuments.messagePath(id).document(id, in: Self.collection)
    }

    private func reference(_ path: DocumentPath) throws(StoreError) -> Value {
        .reference(path.name(in: store.database))
    }
}
