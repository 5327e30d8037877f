import DocumentStore

/// The document store for requests. While the disk is nearly full, it refuses writes that add data.
///
/// Outcomes of accepted messages and sweeps use the underlying store directly.
struct AdmittingStore: DocumentStore {
    let base: any DocumentStore
    let space: DiskSpace
    /// The code of a refusal, and of a commit for which the disk is full, whatever seemed to be free before.
    var refusalCode = StoreError.Code.resourceExhausted

    var database: DatabaseID { base.database }
    var readTime: Timestamp { base.readTime }

    /// Commits the writes. Fails with ``refusalCode`` if the writes add data and the disk is nearly full.
    func commit(
        _ writes: [Write], with options: CommitOptions,
        completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        do throws(StoreError) {
            try admit(writes)
            base.commit(writes, with: options) { completion($0.mapError(refusal)) }
        } catch {
            completion(.failure(error))
        }
    }

    func outcome(
        of identity: CommitIdentity, completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        base.outcome(of: identity, completion: completion)
    }

    private func admit(_ writes: [Write]) throws(StoreError) {
        guard writes.contains(where: \.addsData) else { return }
        do throws(StoreError) {
            try space.admit()
        } catch {
            throw refusal(error)
        }
    }

    /// Returns the error of a full disk with ``refusalCode``, and any other as it is.
    private func refusal(_ error: StoreError) -> StoreError {
        guard error.code == .resourceExhausted else { return error }
        return StoreError(refusalCode, error.message, cause: error.cause)
    }

    func snapshot(at time: Timestamp) async throws(StoreError) -> any DocumentReader {
        try await base.snapshot(at: time)
    }

    func presentTime() async throws(StoreError) -> Timestamp { try await base.presentTime() }

    func listener() -> ChangeListener { base.listener() }

    func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?] {
        try await base.documents(at: paths)
    }

    func documents(matching query: Query) async throws(StoreError) -> [Document] {
        try await base.documents(matching: query)
    }

    func results(of query: Query) async throws(StoreError) -> QueryResults {
        try await base.results(of: query)
    }

    func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document]) {
        try await base.documents(at: paths, matching: query)
    }

    func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value] {
        try await base.aggregate(aggregations, over: query)
    }

    func listing(
        of collection: CollectionPath, after id: String?, limit: Int, projection: [FieldPath]?
    ) async throws(StoreError) -> [ListedDocument] {
        try await base.listing(of: collection, after: id, limit: limit, projection: projection)
    }

    func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String] {
        try await base.collectionIDs(below: document)
    }

    func watch(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error> { base.watch(query) }
}

extension Write {
    /// `true` if the write adds data. A delete does not, and neither do a verify and an empty merge, which only check a
    /// precondition.
    fileprivate var addsData: Bool {
        switch operation {
        case .delete, .verify: false
        case .merge(let fields, let mask): !(mask?.isEmpty ?? fields.isEmpty) || !transforms.isEmpty
        case .set: true
        }
    }
}
