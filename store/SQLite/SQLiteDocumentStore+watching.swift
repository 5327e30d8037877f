import Synchronization

extension SQLiteDocumentStore {
    /// Returns a stream of the query's results. The stream is pulled: the query runs again when its reader requests
    /// the next state and a commit has changed documents in the query's scope. So there is no buffer that could
    /// overflow, and no work for a reader that is busy or gone.
    public func watch(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error> {
        let watch = QueryWatch(query, of: self)
        return AsyncThrowingStream { try await watch.next() }
    }
}

/// One reader's watch of a query.
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

    /// Returns the next result that differs from the last; `nil` if the store was closed or the task cancelled.
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

/// The last result of a watched query.
final class LastResult: Sendable {
    private let documents = Mutex<[Document]?>(nil)

    /// Replaces the last result.
    ///
    /// - Returns: `true` if the new result differs from the last, or is the first.
    func update(_ new: [Document]) -> Bool {
        documents.withLock { documents in
            defer { documents = new }
            return documents != new
        }
    }
}
