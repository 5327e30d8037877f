/// The SQL of earlier states.
extension SQL {
    // MARK: Tables

    /// The rows of `documents` that later commits have changed or removed, in the order of these commits. A version was
    /// the document from `updated_at` on, and was not any longer at `until`. `written` is the number of bytes of this
    /// version and all before it, so that the size of the table is known from its first row and its last.
    static let createVersions = """
        CREATE TABLE versions (
            id INTEGER PRIMARY KEY,
            database INTEGER NOT NULL,
            parent TEXT NOT NULL,
            collection TEXT NOT NULL,
            document TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            until INTEGER NOT NULL,
            written INTEGER NOT NULL,
            fields TEXT NOT NULL,
            path TEXT NOT NULL AS (parent || char(1, 1) || document) VIRTUAL
        ) STRICT
        """

    static let createVersionIndex = """
        CREATE INDEX versions_by_path ON versions (database, parent, document, until)
        """

    // MARK: Reads

    /// The beginning of a statement in which `documents` is the table as it was at a time. The arguments are database,
    /// time, database, time and time. A name with a schema is that of the table.
    static let documentsAtTime = """
        WITH documents AS (\
        SELECT id, database, parent, collection, document, created_at, updated_at, fields, path \
        FROM main.documents WHERE database = ? AND updated_at <= ? UNION ALL \
        SELECT id, database, parent, collection, document, created_at, updated_at, fields, path \
        FROM versions WHERE database = ? AND updated_at <= ? AND until > ?)
        """

    /// Uses `versions_by_path`; the arguments are database, parent, document, time and time.
    static let selectVersion = """
        SELECT id, created_at, updated_at, fields FROM versions \
        WHERE database = ? AND parent = ? AND document = ? AND until > ? AND updated_at <= ?
        """

    // MARK: Changes

    static let insertVersion = """
        INSERT INTO versions (database, parent, collection, document, created_at, updated_at, until, written, fields) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    static let selectWritten = "SELECT written FROM versions ORDER BY id DESC LIMIT 1"
    static let selectOldestVersions = "SELECT id, until, written FROM versions ORDER BY id LIMIT ?"
    static let deleteVersion = "DELETE FROM versions WHERE id = ?"
    static let raiseSince = "UPDATE databases SET since = ?1 WHERE since < ?1"

    // MARK: Removed databases

    /// Finds the next number in the table with one seek.
    static let selectNextNumber = "SELECT min(database) FROM documents WHERE database > ?"
    static let selectNextVersionNumber = "SELECT min(database) FROM versions WHERE database > ?"
    static let selectNumbers = "SELECT id FROM databases"
    static let selectRows = "SELECT id FROM documents WHERE database = ? LIMIT ?"
    static let selectVersionRows = "SELECT id FROM versions WHERE database = ? LIMIT ?"
}
