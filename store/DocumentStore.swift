/// A hierarchical document database in Firestore's model; see `store/DESIGN.md`.
///
/// An engine hands out one of these per database. Whatever passes the conformance suite
/// (`Tests/DocumentStoreTests/Conformance`) may serve the gateway: nothing here speaks of SQLite.
///
/// Limits, names and error codes are Firestore's
/// ([quotas](https://firebase.google.com/docs/firestore/quotas)): a document is 1 MiB at most, an id 1,500 UTF-8 bytes,
/// a path 100 segments, values nest 20 deep.
public protocol DocumentStore: Sendable {
    /// The database whose documents these are.
    var database: DatabaseID { get }

    /// The documents at the paths, in their order; nil where there is none. One consistent read.
    func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?]

    /// The documents that match, in the query's order. One consistent read. A document whose stored fields cannot be read
    /// is left out, and reported.
    func documents(matching query: Query) async throws(StoreError) -> [Document]

    /// Both of the above, as they are at one moment: for less than two reads cost.
    func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document])

    /// Count, sums and averages over the documents that match, one value per aggregation asked for.
    func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value]

    /// The ids of the collections directly below a document, or at the root, in order; a collection exists while a
    /// document stands somewhere below it.
    func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String]

    /// Applies all writes, at one commit time, or none, and reports later. What is reported as applied survives a crash of
    /// the machine.
    ///
    /// - Parameter completion: called once, on any thread, which must not be kept waiting.
    func commit(_ writes: [Write], completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void)

    /// What matches the query now, and again after every commit that changes it. Slow readers see the newest state, not
    /// each one between. Ends when the store closes, or the task that reads it is cancelled.
    func watch(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error>
}

extension DocumentStore {
    /// Applies all writes, at one commit time, or none. When this returns, they survive a crash of the machine.
    public func commit(_ writes: [Write]) async throws(StoreError) -> CommitResult {
        let result = await withCheckedContinuation { continuation in
            commit(writes) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// The document at the path, or nil.
    public func document(at path: DocumentPath) async throws(StoreError) -> Document? {
        try await documents(at: [path]).first ?? nil
    }

    /// Reads the documents at the paths, in their order, and says of each that cannot be read why.
    ///
    /// While all can be read, this is one consistent read.
    public func outcomes(
        at paths: [DocumentPath]
    ) async throws(StoreError) -> [Result<Document?, StoreError>] {
        guard !paths.isEmpty else { return [] }
        do {
            return try await documents(at: paths).map { .success($0) }
        } catch {
            guard error.code == .dataLoss else { throw error }
        }
        var outcomes: [Result<Document?, StoreError>] = []
        for path in paths { outcomes.append(try await outcome(at: path)) }
        return outcomes
    }

    private func outcome(at path: DocumentPath) async throws(StoreError) -> Result<Document?, StoreError> {
        do {
            return .success(try await document(at: path))
        } catch {
            guard error.code == .dataLoss else { throw error }
            return .failure(error)
        }
    }

    /// How many documents match.
    public func count(_ query: Query) async throws(StoreError) -> Int {
        Int(try await aggregate([.count], over: query).first?.integer ?? 0)
    }
}
