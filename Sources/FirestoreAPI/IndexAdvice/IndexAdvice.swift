package import DocumentStore

/// A receiver of the queries that clients run, which tells the developer what production needs for them.
package protocol IndexAdvice: Sendable {
    /// Takes note of a valid query. It is called for each one, so it must be brief.
    func note(_ query: Query, in database: DatabaseID)
}
