/// The SQL that does not depend on a query; what does is in ``QueryCompiler``.
///
/// Column texts are ``StoredName``s, `fields` is ``FieldsEncoder``'s JSON. There is no CHECK on it: the codec is the
/// only writer, and `json_valid` would parse every document once more.
enum SQL {
    // MARK: Tables

    static let createDatabases = """
        CREATE TABLE databases (
            id INTEGER PRIMARY KEY,
            project TEXT NOT NULL,
            database TEXT NOT NULL,
            UNIQUE (project, database)
        ) STRICT
        """

    /// One row, of row id 1: the time of the last commit, in microseconds since 1970, below which no later one may fall.
    static let createClock = "CREATE TABLE clock (last_commit INTEGER NOT NULL) STRICT"

    /// `parent` is the collection's path, `collection` its id, `document` the document's id; times are microseconds.
    /// The fields come last but for the columns of ``addValueColumn(_:)``: a row that overflows its page gives the columns
    /// before them without reading on.
    static let createDocuments = """
        CREATE TABLE documents (
            id INTEGER PRIMARY KEY,
            database INTEGER NOT NULL,
            parent TEXT NOT NULL,
            collection TEXT NOT NULL,
            document TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            fields TEXT NOT NULL,
            path TEXT NOT NULL AS (parent || char(1, 1) || document) VIRTUAL
        ) STRICT
        """

    /// For a document by its path, and a collection in name order.
    static let createPathIndex = "CREATE UNIQUE INDEX documents_by_path ON documents (database, parent, document)"

    /// For a collection group, in the order of insertion. With paths it would be as large as the table, and each insert
    /// would go to a random page of it: twice the cost of a new document, to save some queries a sort.
    static let createGroupIndex = "CREATE INDEX documents_by_group ON documents (database, collection)"

    // MARK: Transactions

    static let beginRead = "BEGIN DEFERRED TRANSACTION"
    static let beginWrite = "BEGIN IMMEDIATE TRANSACTION"
    static let commit = "COMMIT TRANSACTION"

    // MARK: Databases and time

    /// By the unique index of `databases`.
    static let selectDatabase = "SELECT id FROM databases WHERE project = ? AND database = ?"
    static let insertDatabase = "INSERT INTO databases (project, database) VALUES (?, ?)"
    static let selectClock = "SELECT last_commit FROM clock"
    static let insertClock = "INSERT INTO clock (last_commit) VALUES (?)"
    /// By row id: SQLite knows that one row at most changes, and opens no statement journal, which takes 64 KiB.
    static let updateClock = "UPDATE clock SET last_commit = ? WHERE rowid = 1"

    // MARK: Documents, but for DocumentSQL

    /// By `documents_by_path`: database, parent, document.
    static let selectDocument = """
        SELECT id, created_at, updated_at, fields FROM documents WHERE database = ? AND parent = ? AND document = ?
        """
    /// By the same index: database, parent, and how many.
    static let selectCollection = """
        SELECT parent, document, created_at, updated_at, fields FROM documents WHERE database = ? AND parent = ? \
        ORDER BY document LIMIT ?
        """
    /// By row id, and of columns that are in no index: SQLite opens none.
    static let updateDocument = "UPDATE documents SET created_at = ?1, updated_at = ?2, fields = ?3 WHERE id = ?4"
    static let deleteDocument = "DELETE FROM documents WHERE id = ?"

    /// The next collection at or after a text and before another: one seek in `documents_by_path`.
    static let selectNextParent = """
        SELECT parent FROM documents WHERE database = ? AND parent >= ? AND parent < ? ORDER BY parent LIMIT 1
        """

    // MARK: Pages

    static let selectFreePages = "SELECT freelist_count FROM pragma_freelist_count"
    static let selectPageSize = "SELECT page_size FROM pragma_page_size"
}
