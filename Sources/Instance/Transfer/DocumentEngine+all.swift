package import DocumentStore

extension DocumentEngine {
    /// Calls a closure with pieces of the documents of all databases, ordered by database and name, those of a database
    /// from one state. A piece has at most 256 documents.
    ///
    /// - Parameters:
    ///   - database: the database to begin with; `nil` for the first.
    ///   - last: the document of it after which to begin; `nil` for the first.
    package func forEachPiece(
        from database: DatabaseID? = nil, after last: DocumentPath? = nil,
        _ body: ([Document], DatabaseID) async throws -> Void
    ) async throws {
        for next in try await databases().sorted() where database.map({ $0 <= next }) ?? true {
            var query = Query.descendants(of: nil).ordered(by: .documentName)
            if let last, next == database { query.start = Cursor([.reference(last.name(in: next))], isAfter: true) }
            let results = try await store(for: next).results(of: query)
            while let documents = try await results.next() { try await body(documents, next) }
        }
    }
}
