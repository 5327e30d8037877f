/// An entry in a list of a collection: a document, or a missing one that has documents below it.
public struct ListedDocument: Hashable, Sendable {
    /// The document's path.
    public let path: DocumentPath
    /// The document; `nil` if it does not exist.
    public let document: Document?

    /// Makes an entry. An engine calls this.
    public init(path: DocumentPath, document: Document?) {
        self.path = path
        self.document = document
    }
}

/// The documents that match a query, in pieces, all from one state of the database.
///
/// The next piece is read when the caller asks for it, so memory holds one piece at a time. The engine keeps the state
/// until the last piece, and at most for a limited time. It releases the state earlier if ``next()`` fails, or if this
/// value and its copies are released. A commit does not wait for that.
///
/// ```swift
/// let results = try await store.results(of: query)
/// while let documents = try await results.next() { print(documents.count) }
/// ```
public struct QueryResults: Sendable {
    /// The time of the last commit that the documents reflect, with all commits before it.
    public let readTime: Timestamp
    private let read: @Sendable () async throws(StoreError) -> [Document]?

    /// Makes results. An engine calls this.
    ///
    /// - Parameter read: returns the next piece, which is not empty, or `nil` after the last.
    public init(readTime: Timestamp, read: @escaping @Sendable () async throws(StoreError) -> [Document]?) {
        self.readTime = readTime
        self.read = read
    }

    /// Returns the next documents, at least one, in the query's order; `nil` after the last.
    ///
    /// - Throws: `CANCELLED` in a cancelled task; `ABORTED` if the engine did not keep the state any longer;
    ///   `UNAVAILABLE` if the store was closed. Later calls fail in the same way.
    public func next() async throws(StoreError) -> [Document]? { try await read() }
}
