import Synchronization

/// One reader's watch of a query.
final class QueryWatch: Sendable {
    private let query: Query
    private let store: any EngineStore
    private let watcher: Watcher
    private let last = LastResult()

    /// Returns a stream of a query's results, each of which is read when the stream's reader asks for it.
    static func stream(
        of query: Query, in store: any EngineStore
    ) -> AsyncThrowingStream<QuerySnapshot, any Error> {
        let watch = QueryWatch(query, in: store)
        store.engine.add(watch.watcher)
        return AsyncThrowingStream { try await watch.next() }
    }

    private init(_ query: Query, in store: any EngineStore) {
        self.query = query
        self.store = store
        watcher = Watcher(database: store.database, scope: query.scope)
    }

    /// Returns the next result that differs from the last; `nil` if the store was closed or the task cancelled.
    private func next() async throws -> QuerySnapshot? {
        while await watcher.nextChange() {
            let readTime = store.readTime
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
