package import DocumentStore
import Synchronization

/// A store in front of a real one that a test can observe, delay and make fail.
package final class ObservedStore: StoreDecorator {
    /// The functions that run before each operation, or after a read by paths, when its result is known. They can
    /// suspend it, or make it fail by throwing.
    package struct Hooks: Sendable {
        package var beforeRead: @Sendable ([DocumentPath]) async throws(StoreError) -> Void = { _ in }
        package var afterRead: @Sendable ([DocumentPath]) async throws(StoreError) -> Void = { _ in }
        package var beforeQuery: @Sendable (Query) async throws(StoreError) -> Void = { _ in }
        package var beforeCommit: @Sendable ([Write]) async throws(StoreError) -> Void = { _ in }

        package init() {}
    }

    package let base: any DocumentStore
    private let hooks: Mutex<Hooks>

    package init(_ base: any DocumentStore, hooks: Hooks = Hooks()) {
        self.base = base
        self.hooks = Mutex(hooks)
    }

    /// Changes the hooks for later operations.
    package func set(_ change: (inout Hooks) -> Void) { hooks.withLock { change(&$0) } }

    package func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        try await hooks.withLock(\.beforeRead)(paths)
        let documents = try await base.documents(at: paths)
        try await hooks.withLock(\.afterRead)(paths)
        return documents
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
        let documents = try await base.documents(at: paths, matching: query)
        try await hooks.withLock(\.afterRead)(paths)
        return documents
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
}

extension StoreError {
    /// The error of a store on a full disk.
    package static let diskFull = StoreError(.resourceExhausted, "the disk is full")
}
