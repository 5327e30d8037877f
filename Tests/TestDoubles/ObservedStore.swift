package import DocumentStore
import Synchronization

/// A store in front of a real one that a test can observe, delay and make fail.
package final class ObservedStore: DocumentStore {
    /// The functions that run before each operation. They can suspend it, or make it fail by throwing.
    package struct Hooks: Sendable {
        package var beforeRead: @Sendable ([DocumentPath]) async throws(StoreError) -> Void = { _ in }
        package var beforeQuery: @Sendable (Query) async throws(StoreError) -> Void = { _ in }
        package var beforeCommit: @Sendable ([Write]) async throws(StoreError) -> Void = { _ in }

        package init() {}
    }

    private let base: any DocumentStore
    private let hooks: Mutex<Hooks>

    package init(_ base: any DocumentStore, hooks: Hooks = Hooks()) {
        self.base = base
        self.hooks = Mutex(hooks)
    }

    /// Changes the hooks for later operations.
    package func set(_ change: (inout Hooks) -> Void) { hooks.withLock { change(&$0) } }

    package var database: DatabaseID { base.database }
    package var readTime: Timestamp { base.readTime }

    package func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        try await hooks.withLock(\.beforeRead)(paths)
        return try await base.documents(at: paths)
    }

    package func documents(matching query: Query) async throws(StoreError) -> [Document] {
        try await hooks.withLock(\.beforeQuery)(query)
        return try await base.documents(matching: query)
    }

    package func results(of query: Query) async throws(StoreError) -> QueryResults {
        try await hooks.withLock(\.beforeQuery)(query)
        return try await base.results(of: query)
    }

    package func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document]) {
        try await hooks.withLock(\.beforeRead)(paths)
        try await hooks.withLock(\.beforeQuery)(query)
        return try await base.documents(at: paths, matching: query)
    }

    package func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value] {
        try await base.aggregate(aggregations, over: query)
    }

    package func listing(
        of collection: CollectionPath, after id: String?, limit: Int, projection: [FieldPath]?
    ) async throws(StoreError) -> [ListedDocument] {
        try await base.listing(of: collection, after: id, limit: limit, projection: projection)
    }

    package func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String] {
        try await base.collectionIDs(below: document)
    }

    package func commit(
        _ writes: [Write], with options: CommitOptions,
        completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        Task {
            do throws(StoreError) {
                try await hooks.withLock(\.beforeCommit)(writes)
                base.commit(writes, with: options, completion: completion)
            } catch {
                completion(.failure(error))
            }
        }
    }

    package func outcome(
        of identity: CommitIdentity, completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        base.outcome(of: identity, completion: completion)
    }

    package func snapshot(at time: Timestamp) async throws(StoreError) -> any DocumentReader {
        try await base.snapshot(at: time)
    }

    package func presentTime() async throws(StoreError) -> Timestamp { try await base.presentTime() }

    package func listener() -> ChangeListener { base.listener() }

    package func watch(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error> { base.watch(query) }
}

extension StoreError {
    /// The error of a store on a full disk.
    package static let diskFull = StoreError(.resourceExhausted, "the disk is full")
}
