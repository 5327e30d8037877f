/// The reads of a database: of its present state, or of its state at one time (``DocumentStore/snapshot(at:)``).
public protocol DocumentReader: Sendable {
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

    /// Returns the documents at the paths and those that match the query, both as of one moment. Costs less than two
    /// reads.
    ///
    /// - Throws: `DATA_LOSS` if the stored fields of a document at one of the paths cannot be read; `INVALID_ARGUMENT`
    ///   if the query is not valid.
    func documents(
        at paths: [DocumentPath], matching query: Query
    ) async throws(StoreError) -> (named: [Document?], matching: [Document])

    /// Returns the documents that match a query in pieces, which are read when the caller asks for them. All of them
    /// are from one state of the database: later commits change nothing in them. Costs more than
    /// ``documents(matching:)`` for a short result; memory does not grow with the length of the result.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the query is not valid.
    func results(of query: Query) async throws(StoreError) -> QueryResults

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
}

extension DocumentReader {
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
