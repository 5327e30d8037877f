/// The documents of one database in the file of a ``SQLiteEngine``.
///
/// Short reads run on the calling thread. Completions are called on the engine's writer, or at once if the writes are
/// not valid. The writer compares the reads of a transaction with the changes since then, of which it has the latest in
/// memory.
public struct SQLiteDocumentStore: DocumentStore, EngineStore {
    /// The database that contains the documents.
    public let database: DatabaseID
    package let engine: SQLiteEngine

    /// Returns the reads of the state at a time. They cost as much as those of the present state if nothing in the
    /// database has changed since; later ones use no field index.
    package func reader(at time: Timestamp?) -> SQLiteReader {
        SQLiteReader(database: database, time: time, engine: engine)
    }
}
