/// A store in front of another one. It passes on everything that it does not change, so that only its changes are code.
///
/// A member that ``DocumentStore`` gets has to be passed on here, once for all decorators.
package protocol StoreDecorator: DocumentStore {
    /// The store behind this one.
    var base: any DocumentStore { get }
}

extension StoreDecorator {
    /// The database that contains the documents.
    public var database: DatabaseID { base.database }

    /// The time of a commit that all reads from now on contain, with all commits before it.
    public var readTime: Timestamp { base.readTime }

    /// Returns the present time, once all commits with earlier times are readable.
    public func presentTime() async throws(StoreError) -> Timestamp { try await base.presentTime() }

    /// Returns the reads of the state at a time.
    public func snapshot(at time: Timestamp) async throws(StoreError) -> any DocumentReader {
        try await base.snapshot(at: time)
    }

    /// Applies all writes at one commit time, or none of them, and calls the completion afterwards.
    public func commit(
        _ writes: [Write], with options: CommitOptions,
        completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        base.commit(writes, with: options, completion: completion)
    }

    /// Calls the completion with the result of the commit of a transaction.
    public func outcome(
        of identity: CommitIdentity, completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        base.outcome(of: identity, completion: completion)
    }

    /// Returns a stream of the query's results.
    public func watch(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error> { base.watch(query) }

    /// Returns a listener for the changes of this database's documents from now on.
    public func listener() -> ChangeListener { base.listener() }
}

extension StoreDecorator {
    /// Returns the documents at the paths, with `nil` for each path without a document.
    public func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        try await base.documents(at: paths)
    }

    /// Returns the documents that match, in the query's order.
    public func documents(matching query: Query) async throws(StoreError) -> [Document] {
        try await base.documents(matching: query)
    }

    /// Returns the documents at the paths and those that match the query, both as of one moment.
    public func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document]) {
        try await base.documents(at: paths, matching: query)
    }

    /// Returns the documents that match in pieces of one state.
    public func results(of query: Query) async throws(StoreError) -> QueryResults {
        try await base.results(of: query)
    }

    /// Returns one value for each aggregation.
    public func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value] {
        try await base.aggregate(aggregations, over: query)
    }

    /// Returns a page of a collection's documents and of the missing documents that have documents below them.
    public func listing(
        of collection: CollectionPath, after id: String?, limit: Int, projection: [FieldPath]?
    ) async throws(StoreError) -> [ListedDocument] {
        try await base.listing(of: collection, after: id, limit: limit, projection: projection)
    }

    /// Returns the ids of the collections directly below a document, or at the root, in order.
    public func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String] {
        try await base.collectionIDs(below: document)
    }
}
