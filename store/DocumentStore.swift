/// A hierarchical document database with Firestore's model. `store/DESIGN.md` describes the engine.
///
/// An engine provides one instance for each database. Any engine that passes the conformance suite
/// (`Tests/DocumentStoreTests/Conformance`) can serve the gateway: this protocol does not depend on SQLite.
///
/// Limits, names and error codes are Firestore's ([quotas](https://firebase.google.com/docs/firestore/quotas)): a
/// document has at most 1 MiB, an id 1,500 UTF-8 bytes, a path 100 segments, and values nest at most 20 deep.
///
/// Each function fails with `UNAVAILABLE` after the store is closed. In a cancelled task a read may fail with
/// `CANCELLED`; a commit takes effect nevertheless.
public protocol DocumentStore: Sendable {
    /// The database that contains the documents.
    var database: DatabaseID { get }

    /// Returns the documents at the paths, in the order of the paths, with `nil` for each path without a document.
    /// This is one consistent read.
    ///
    /// - Throws: `DATA_LOSS` if the stored fields of one of them cannot be read.
    func documents(at paths: [DocumentPath]) async throws(StoreError) -> [Document?]

    /// Returns the documents that match a query, in the query's order. This is one consistent read. A document whose
    /// stored fields cannot be read is left out and reported.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the query is not valid.
    func documents(matching query: Query) async throws(StoreError) -> [Document]

    /// Returns the documents that match a query in pieces, which are read when the caller asks for them. All of them
    /// are from one state of the database: later commits change nothing in them. Costs more than
    /// ``documents(matching:)`` for a short result; memory does not grow with the length of the result.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the query is not valid.
    func results(of query: Query) async throws(StoreError) -> QueryResults

    /// Returns the documents at the paths and those that match the query, both as of one moment. Costs less than two
    /// reads.
    ///
    /// - Throws: `DATA_LOSS` if the stored fields of a document at one of the paths cannot be read; `INVALID_ARGUMENT`
    ///   if the query is not valid.
    func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document])

    /// Returns counts, sums and averages over the documents that match, one value for each aggregation, in their
    /// order. The query's cursors, offset and limit select the documents first. With sums or averages, only documents
    /// that have all of their fields count, for each of the aggregations.
    ///
    /// - Parameter aggregations: one to five.
    /// - Throws: `INVALID_ARGUMENT` if the query or an aggregation is not valid.
    func aggregate(_ aggregations: [Aggregation], over query: Query) async throws(StoreError) -> [Value]

    /// Returns a page of the documents directly in a collection, together with the missing documents that have
    /// documents below them, in the order of their ids. This is one consistent read. A document whose stored fields
    /// cannot be read is left out and reported, unless it has documents below it: then it is listed as missing.
    ///
    /// - Parameters:
    ///   - collection: the collection, of which it is not necessary that it contains a document.
    ///   - id: the id after which the page begins, which need not exist; `nil` for the first page.
    ///   - limit: the greatest number of entries.
    ///   - projection: the fields to return, or `nil` for all; `[]` for none.
    /// - Throws: `INVALID_ARGUMENT` if the id, the limit or a field is not valid.
    func listing(
        of collection: CollectionPath, after id: String?, limit: Int, projection: [FieldPath]?
    ) async throws(StoreError) -> [ListedDocument]

    /// Returns the ids of the collections directly below a document, or at the root for `nil`, in order. A collection
    /// exists while it or a collection below it contains a document.
    func collectionIDs(below document: DocumentPath?) async throws(StoreError) -> [String]

    /// Applies all writes at one commit time, or none of them, and calls the completion afterwards. Writes that are
    /// reported as applied survive a crash of the machine.
    ///
    /// The commit fails with `INVALID_ARGUMENT` if a write is not valid or cannot succeed after an earlier one of the
    /// commit, with `NOT_FOUND`, `ALREADY_EXISTS` or `FAILED_PRECONDITION` if a precondition does not hold, and with
    /// `RESOURCE_EXHAUSTED` if the disk is full.
    ///
    /// - Parameters:
    ///   - writes: the changes, applied in their order; several may change one document.
    ///   - completion: called once, on any thread; it must not block.
    func commit(_ writes: [Write], completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void)

    /// Returns the documents that match the query now, and again after each commit that changes them. A slow reader
    /// receives the newest state and skips the states in between. The stream ends when the store closes, or when the
    /// task that reads it is cancelled. It throws a ``StoreError`` if the query is not valid or cannot be read.
    func watch(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error>
}

extension DocumentStore {
    /// Applies all writes at one commit time, or none of them. When this returns, the writes survive a crash of the
    /// machine.
    ///
    /// - Throws: `INVALID_ARGUMENT` if a write is not valid or cannot succeed after an earlier one; `NOT_FOUND`,
    ///   `ALREADY_EXISTS` or `FAILED_PRECONDITION` if a precondition does not hold; `RESOURCE_EXHAUSTED` if the disk is
    ///   full.
    public func commit(_ writes: [Write]) async throws(StoreError) -> CommitResult {
        let result = await withCheckedContinuation { continuation in
            commit(writes) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Returns the document at the path, or `nil` if there is none.
    ///
    /// - Throws: `DATA_LOSS` if its stored fields cannot be read.
    public func document(at path: DocumentPath) async throws(StoreError) -> Document? {
        try await documents(at: [path]).first ?? nil
    }

    /// Reads the documents at the paths, in the order of the paths, with an error for each document that cannot be
    /// read.
    ///
    /// If all of them can be read, this is one consistent read.
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

    /// Returns the number of documents that match.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the query is not valid.
    public func count(_ query: Query) async throws(StoreError) -> Int {
        Int(try await aggregate([.count], over: query).first?.integer ?? 0)
    }
}
