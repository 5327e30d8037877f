import GRDB

/// The check of the objects in a file that somebody else may have written. A trigger would change documents with each
/// commit, and a view can stand in the place of a table.
enum SchemaObjects {
    /// Checks that a file has no triggers, no views, and no tables but those of this store.
    ///
    /// - Throws: `FAILED_PRECONDITION` with the name of an object that does not belong there.
    static func check(_ db: Database) throws {
        guard let object = try String.fetchOne(db, sql: SQL.selectForeignObjects) else { return }
        throw StoreError(
            .failedPrecondition,
            "the file contains the \(object), which no gateway writes; drop it with sqlite3, or use another backup")
    }
}
