package import DocumentStore

/// The documents of one database on a PostgreSQL server.
package struct PostgreSQLDocumentStore: DocumentStore {
    /// The database that contains the documents.
    package let database: DatabaseID
    let engine: PostgreSQLEngine

    private var reader: PostgreSQLReader { PostgreSQLReader(database: database, time: nil, engine: engine) }

    /// The time of a commit that all reads from now on contain, with all commits before it.
    package var readTime: Timestamp { engine.readTime(of: database) }

    /// Returns the present time, once no later commit, of any gateway, can have a time that is not after it.
    package func presentTime() async throws(StoreError) -> Timestamp { try await engine.presentTime(of: database) }

    /// Returns the documents at the paths, with `nil` for each path without a document.
    package func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        try await reader.documents(at: paths)
    }

    /// Returns the documents that match, in the query's order.
    package func documents(matching query: Query) async throws(StoreError) -> [Document] {
        try await reader.documents(matching: query)
    }

    /// Returns the documents that match in pieces of one state.
    package func results(of query: Query) async throws(StoreError) -> QueryResults {
        try await reader.results(of: query)
    }

    /// Returns the documents at the paths and those that match the query, both as of one moment.
    package func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document]) {
        try await reader.documents(at: paths, matching: query)
    }

    /// Returns one value for each aggregation.
    package func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value] {
        try await reader.aggregate(aggregations, over: query)
    }

    /// Returns a page of a collection's documents and of the missing documents that have documents below them.
    package func listing(
        of collection: CollectionPath, after id: String?, limit: Int, projection: [FieldPath]?
    ) async throws(StoreError) -> [ListedDocument] {
        try await reader.listing(of: collection, after: id, limit: limit, projection: projection)
    }

    /// Returns the ids of the collections directly below a document, or at the root, in order.
    package func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String] {
        try await reader.collectionIDs(below: document)
    }

    /// Returns the reads of the state at a time.
    package func snapshot(at time: Timestamp) async throws(StoreError) -> any DocumentReader {
        try await engine.settle(database, at: time)
        let reader = PostgreSQLReader(database: database, time: time, engine: engine)
        try await reader.check()
        return reader
    }

    /// Applies all writes at one commit time, or none of them, and then calls the completion on the thread of a
    /// connection, or at once if the writes are not valid. What a transaction has read must not have changed by any
    /// gateway.
    package func commit(
        _ writes: [Write], with options: CommitOptions,
        completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        engine.commit(writes, with: options, in: database, completion: completion)
    }

    /// Calls the completion with the result of the commit of a transaction, by whichever gateway.
    package func outcome(
        of identity: CommitIdentity, completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        engine.outcome(of: identity, in: database, completion: completion)
    }

    /// Returns a stream of the query's results, each of which is read when the stream's reader asks for it.
    package func watch(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error> {
        defer { engine.notices?.want() }
        return QueryWatch.stream(of: query, in: self, engine.feed.watchers) { [engine] in engine.isClosed }
    }

    /// Returns a listener to the changes of this database from now on, those of other gateways too.
    package func listener() -> ChangeListener {
        defer { engine.notices?.want() }
        return engine.feed.listener(to: database)
    }
}
