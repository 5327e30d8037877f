import GRDB

/// The check of the objects in a file that somebody else may have written. A trigger would change documents with each
/// commit, and a view can stand in the place of a table.
enum SchemaObjects {
    /// Checks that a file has no triggers, no views, and no tables but those of this store.
    ///
    /// - Throws: `FAILED_PRECONDITION` with the name of an object that does not belong there.
    static func check(_ db: Database) throws {
        let tables = try tables
        for row in try Row.fetchAll(db, sql: SQL.selectObjects) {
            let (type, name, isTable): (String, String, Bool) = (row[0], row[1], row[2])
            guard !isTable || !tables.contains(name) else { continue }
            throw StoreError(
                .failedPrecondition,
                "the file contains the \(type) \(name), which no gateway writes; drop it with sqlite3, or use another "
                    + "backup")
        }
    }

    /// The tables of this version, and those that a file may have besides.
    private static var tables: Set<String> {
        get throws {
            let empty = try DatabaseQueue()
            defer { try? empty.close() }
            try Schema.migrator.migrate(empty)
            return try empty.read { db in
                SQL.otherTables.union(try Row.fetchAll(db, sql: SQL.selectObjects).map { $0[1] })
            }
        }
    }
}
