/// A test of single documents against a query's scope, filter, orders and cursors. Its offset and limit, which depend
/// on other documents, have no effect, and neither has its projection, which is not kept.
package struct QueryMatch: Sendable {
    let query: PlannedQuery
    private let database: DatabaseID

    /// Prepares the test.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the query is not valid.
    package init(_ query: Query, in database: DatabaseID) throws(StoreError) {
        self.query = try PlannedQuery(query, in: database).selectingAll
        self.database = database
    }

    /// Returns `true` if the document matches.
    package func contains(_ document: Document) -> Bool { query.matches(document, in: database) }

    /// Returns `true` if a document with that path can match.
    package func covers(_ path: DocumentPath) -> Bool { query.scope.contains(path) }
}
