package import DocumentStore

/// The documents of one database on a PostgreSQL server.
///
/// Completions are called on the thread of a connection, or at once if the writes are not valid. The reads of a
/// transaction must not have been changed by any gateway, whichever has committed its repetition. Listeners receive the
/// changes of other gateways too.
package struct PostgreSQLDocumentStore: EngineStore {
    /// The database that contains the documents.
    package let database: DatabaseID
    package let engine: PostgreSQLEngine

    /// Returns the reads of the state at a time; `nil` for those of the present state.
    package func reader(at time: Timestamp?) -> PostgreSQLReader {
        PostgreSQLReader(database: database, time: time, engine: engine)
    }
}
