/// The documents of one database in the file of a ``SQLiteEngine``.
public struct SQLiteDocumentStore: DocumentStore {
    /// The database that contains the documents.
    public let database: DatabaseID
    let engine: SQLiteEngine

    var reader: SQLiteReader { SQLiteReader(database: database, time: nil, engine: engine) }

    /// The time of a commit that all reads from now on contain, with all commits before it.
    public var readTime: Timestamp { engine.readTime }

    /// Returns the present time, once all commits with earlier times are readable. It waits for the writer, not for the
    /// disk.
    public func presentTime() async throws(StoreError) -> Timestamp { try await engine.presentTime(of: database) }

    /// Returns the documents at the paths, with `nil` for each path without a document. A short read runs on the
    /// calling thread.
    public func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        try await reader.documents(at: paths)
    }

    /// Returns the documents that match, in the query's order. A short read runs on the calling thread.
    public func documents(matching query: Query) async throws(StoreError) -> [Document] {
        try await reader.documents(matching: query)
    }

    /// Returns the documents that match in pieces of one state of the file. A short result is read at once on the
    /// calling thread. A long one keeps a connection and a read transaction, for the time of
    /// ``SQLiteStoreConfiguration/resultLifetime`` at most.
    public func results(of query: Query) async throws(StoreError) -> QueryResults {
        try await reader.results(of: query)
    }

    /// Returns the documents at the paths and those that match the query, both as of one moment.
    public func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document]) {
        try await reader.documents(at: paths, matching: query)
    }

    /// Returns one value for each aggregation. SQLite counts; sums and averages read the fields of all matching
    /// documents.
    public func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value] {
        try await reader.aggregate(aggregations, over: query)
    }

    /// Returns a page of a collection's documents and of the missing documents that have documents below them, in the
    /// order of their ids. Costs one seek for each document that has documents below it.
    public func listing(
        of collection: CollectionPath, after id: String?, limit: Int, projection: [FieldPath]?
    ) async throws(StoreError) -> [ListedDocument] {
        try await reader.listing(of: collection, after: id, limit: limit, projection: projection)
    }

    /// Returns the ids of the collections directly below a document, or at the root, in order. Costs one seek for
    /// each.
    public func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String] {
        try await reader.collectionIDs(below: document)
    }

    /// Returns the reads of the state at a time. They cost as much as those of the present state if nothing in the
    /// database has changed since; later ones use no field index.
    public func snapshot(at time: Timestamp) async throws(StoreError) -> any DocumentReader {
        try await engine.settle(database, at: time)
        let reader = SQLiteReader(database: database, time: time, engine: engine)
        try await reader.check()
        return reader
    }

    /// Applies all writes at one commit time, or none of them, and then calls the completion on the engine's writer, or
    /// at once if the writes are not valid. The writer compares the reads of a transaction with the changes since then,
    /// of which it has the latest in memory.
    public func commit(
        _ writes: [Write], with options: CommitOptions,
        completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        engine.commit(writes, with: options, in: database, completion: completion)
    }

    /// Calls the completion with the result of the commit of a transaction.
    public func outcome(
        of identity: CommitIdentity, completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        engine.outcome(of: identity, in: database, completion: completion)
    }
}
