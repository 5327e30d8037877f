/// One database of an engine. An engine brings its reads and itself; the rest of ``DocumentStore`` is derived.
package protocol EngineStore: DocumentStore {
    associatedtype Engine: StoreEngine
    /// A concrete type, so that a read allocates nothing for it.
    associatedtype Reader: StateReader

    var engine: Engine { get }

    /// Returns the reads of the state at a time; `nil` for those of the present state.
    func reader(at time: Timestamp?) -> Reader
}

/// The reads of one state of an engine's database.
package protocol StateReader: DocumentReader {
    /// Checks that the state is kept.
    ///
    /// - Throws: `FAILED_PRECONDITION` if it is not.
    func check() async throws(StoreError)
}

/// The reads of the present state.
extension EngineStore {
    private var present: Reader { reader(at: nil) }

    /// Returns the documents at the paths, with `nil` for each path without a document.
    public func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        try await present.documents(at: paths)
    }

    /// Returns the documents that match, in the query's order.
    public func documents(matching query: Query) async throws(StoreError) -> [Document] {
        try await present.documents(matching: query)
    }

    /// Returns the documents at the paths and those that match the query, both as of one moment.
    public func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document]) {
        try await present.documents(at: paths, matching: query)
    }

    /// Returns the documents that match in pieces of one state.
    public func results(of query: Query) async throws(StoreError) -> QueryResults {
        try await present.results(of: query)
    }

    /// Returns one value for each aggregation.
    public func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value] {
        try await present.aggregate(aggregations, over: query)
    }

    /// Returns a page of a collection's documents and of the missing documents that have documents below them.
    public func listing(
        of collection: CollectionPath, after id: String?, limit: Int, projection: [FieldPath]?
    ) async throws(StoreError) -> [ListedDocument] {
        try await present.listing(of: collection, after: id, limit: limit, projection: projection)
    }

    /// Returns the ids of the collections directly below a document, or at the root, in order.
    public func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String] {
        try await present.collectionIDs(below: document)
    }
}

/// The reads at a time.
extension EngineStore {
    /// The time of a commit that all reads from now on contain, with all commits before it.
    public var readTime: Timestamp { engine.readTime(of: database) }

    /// Returns the present time, once all commits with earlier times are readable.
    public func presentTime() async throws(StoreError) -> Timestamp { try await engine.presentTime(of: database) }

    /// Returns the reads of the state at a time.
    public func snapshot(at time: Timestamp) async throws(StoreError) -> any DocumentReader {
        try await engine.settle(database, at: time)
        let state = reader(at: time)
        try await state.check()
        return state
    }
}

/// The commits and the changes.
extension EngineStore {
    /// Checks the writes, and queues them as one commit. The completion is called on a thread of the engine, or at once
    /// if the writes are not valid.
    public func commit(
        _ writes: [Write], with options: CommitOptions,
        completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        do throws(StoreError) {
            let keyed = try KeyedWrite.keyed(writes, allowing: options.values)
            engine.submit(PendingCommit(database: database, work: .writes(keyed, options), completion: completion))
        } catch {
            completion(.failure(error))
        }
    }

    /// Queues the question for the outcome of a transaction behind the commits that are under way.
    public func outcome(
        of identity: CommitIdentity, completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        engine.submit(PendingCommit(database: database, work: .outcome(identity), completion: completion))
    }

    /// Returns a stream of the query's results. The stream is pulled: the query runs again when its reader requests
    /// the next state and a commit has changed documents in the query's scope. So there is no buffer that could
    /// overflow, and no work for a reader that is busy or gone.
    public func watch(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error> {
        QueryWatch.stream(of: query, in: self)
    }

    /// Returns a listener for the changes of this database's documents from now on.
    public func listener() -> ChangeListener { engine.listener(to: database) }
}
