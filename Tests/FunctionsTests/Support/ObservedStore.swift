import DocumentStore
import Synchronization

/// A store that a test can look into, hold up and make fail, in front of a real one.
final class ObservedStore: DocumentStore {
    struct Hooks: Sendable {
        var beforeRead: @Sendable ([DocumentPath]) async throws(StoreError) -> Void = { _ in }
        var beforeQuery: @Sendable (Query) async throws(StoreError) -> Void = { _ in }
        var beforeCommit: @Sendable ([Write]) async throws(StoreError) -> Void = { _ in }
    }

    private let base: any DocumentStore
    private let hooks: Mutex<Hooks>

    init(_ base: any DocumentStore, hooks: Hooks = Hooks()) {
        self.base = base
        self.hooks = Mutex(hooks)
    }

    func set(_ change: (inout Hooks) -> Void) { hooks.withLock { change(&$0) } }

    var database: DatabaseID { base.database }

    func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        try await hooks.withLock(\.beforeRead)(paths)
        return try await base.documents(at: paths)
    }

    func documents(matching query: Query) async throws(StoreError) -> [Document] {
        try await hooks.withLock(\.beforeQuery)(query)
        return try await base.documents(matching: query)
    }

    func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value] {
        try await base.aggregate(aggregations, over: query)
    }

    func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String] {
        try await base.collectionIDs(below: document)
    }

    func commit(_ writes: [Write]) async throws(StoreError) -> CommitResult {
        try await hooks.withLock(\.beforeCommit)(writes)
        return try await base.commit(writes)
    }

    func watch(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error> { base.watch(query) }
}

extension StoreError {
    static let diskFull = StoreError(.resourceExhausted, "the disk is full")
}
