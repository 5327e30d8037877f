extension SQLiteDocumentStore {
    /// The stream is pulled: the query runs again when its reader asks for the next state and something has changed by
    /// then. So there is no buffer to overflow, and nothing runs for a reader that is busy or gone.
    public func watch(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error> {
        let watch = QueryWatch(query, of: self)
        return AsyncThrowingStream { try await watch.next() }
    }
}

/// One reader's watch of one query.
private final class QueryWatch: Sendable {
    private let query: Query
    private let store: SQLiteDocumentStore
    private let watcher: Watcher
    private let last = LastResult()

    init(_ query: Query, of store: SQLiteDocumentStore) {
        self.query = query
        self.store = store
        watcher = Watcher(database: store.database, scope: query.scope)
        store.engine.watchers.add(watcher)
    }

    /// Nil when the store was closed, or the task cancelled.
    func next() async throws -> QuerySnapshot? {
        while await watcher.nextChange() {
            let readTime = store.engine.readTime
            do throws(StoreError) {
                let documents = try await store.documents(matching: query)
                if last.update(documents) { return QuerySnapshot(documents: documents, readTime: readTime) }
            } catch {
                if error.code == .cancelled || store.engine.isClosed { return nil }
                throw error
            }
        }
        return nil
    }
}
