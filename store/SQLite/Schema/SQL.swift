/// The SQL that does not depend on a query. ``QueryCompiler`` has the rest.
///
/// Text columns contain ``StoredName``s; `fields` contains the JSON of ``FieldsEncoder``. It has no CHECK: the codec
/// is the only writer, and `json_valid` would parse each document again.
enum SQL {
    // MARK: Tables

    /// `since` is the time of the first state for which `versions` is complete, in microseconds; NULL if the database
    /// keeps none. `indexed` is 1 if `field_entries` has the entries of all documents of the database, and 0 if it has
    /// none.
    static let createDatabases = """
        CREATE TABLE databases (
            id INTEGER PRIMARY KEY,
            project TEXT NOT NULL,
            database TEXT NOT NULL,
            since INTEGER,
            indexed INTEGER NOT NULL DEFAULT 0,
            UNIQUE (project, database)
        ) STRICT
        """

    /// Records a migration in GRDB's own table.
    static let insertMigration = "INSERT INTO grdb_migrations (identifier) VALUES (?)"

    /// The size of a page in bytes.
    static let pageSize = "PRAGMA page_size"

    /// One row, with row id 1: the time of the last commit in microseconds since 1970. Later commits have later
    /// times.
    static let createClock = "CREATE TABLE clock (last_commit INTEGER NOT NULL) STRICT"

    /// `parent` is the collection's path, `collection` its id, `document` the document's id; times are microseconds.
    /// The fields are the last column except for those of ``addValueColumn(_:)``, so that SQLite reads the columns
    /// before them without the overflow pages of a large row.
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

    /// An index for a document by its path, and for a collection in name order.
    static let createPathIndex = "CREATE UNIQUE INDEX documents_by_path ON documents (database, parent, document)"

    /// An index for a collection group, in the order of insertion. With paths it would be as large as the table, and
    /// each insert would go to a random page of it: this would double the cost of a new document, to save some
    /// queries a sort.
    static let createGroupIndex = "CREATE INDEX documents_by_group ON documents (database, collection)"

    // MARK: Transactions

    static let beginRead = "BEGIN DEFERRED TRANSACTION"
    static let beginWrite = "BEGIN IMMEDIATE TRANSACTION"
    static let commit = "COMMIT TRANSACTION"

    // MARK: Databases and time

    /// Uses the unique index of `databases`.
    static let selectDatabase = "SELECT id, since FROM databases WHERE project = ? AND database = ?"
    static let insertDatabase = "INSERT INTO databases (project, database, since, indexed) VALUES (?, ?, ?, ?)"
    static let updateSince = "UPDATE databases SET since = ? WHERE id = ?"
    /// The databases that contain documents, each found with one seek in `documents_by_path`.
    static let selectDatabases = """
        SELECT project, database FROM databases \
        WHERE EXISTS (SELECT 1 FROM documents WHERE documents.database = databases.id) ORDER BY project, database
        """
    /// Gives a database a number that no row has. The greatest number is always that of a database.
    static let renumberDatabase = """
        UPDATE databases SET id = (SELECT max(id) + 1 FROM databases), since = ? WHERE id = ?
        """
    static let selectClock = "SELECT last_commit FROM clock"
    static let insertClock = "INSERT INTO clock (last_commit) VALUES (?)"
    /// Uses the row id. SQLite then knows that at most one row changes, and opens no statement journal, which takes
    /// 64 KiB.
    static let updateClock = "UPDATE clock SET last_commit = ? WHERE rowid = 1"

    // MARK: Documents, except DocumentSQL

    /// Uses `documents_by_path`; the arguments are database, parent and document.
    static let selectDocument = """
        SELECT id, created_at, updated_at, fields FROM documents WHERE database = ? AND parent = ? AND document = ?
        """
    /// Uses the same index; the arguments are database, parent and limit.
    static let selectCollection = """
        SELECT parent, document, created_at, updated_at, fields FROM documents WHERE database = ? AND parent = ? \
        ORDER BY document LIMIT ?
        """
    /// Uses the row id and changes only columns that are in no index, so SQLite opens no index.
    static let updateDocument = "UPDATE documents SET created_at = ?1, updated_at = ?2, fields = ?3 WHERE id = ?4"
    static let deleteDocument = "DELETE FROM documents WHERE id = ?"

    /// Finds the next collection at or after a text and before another, with one seek in `documents_by_path`.
    static let selectNextParent = """
        SELECT parent FROM documents WHERE database = ? AND parent >= ? AND parent < ? ORDER BY parent LIMIT 1
        """

    // MARK: Pages

    static let selectFreePages = "SELECT freelist_count FROM pragma_freelist_count"
    static let selectPageSize = "SELECT page_size FROM pragma_page_size"
}

/// The SQL of the values that indexes use: columns `value1`, `value2`… of `documents`.
///
/// A column contains the values of one field in the documents of one collection group, and of another field in
/// another group. It is NULL if a document has no such value. The number of columns, and of indexes, is thus the
/// number of indexes of the group with the most.
extension SQL {
    // MARK: Columns

    static func valueColumn(_ number: Int) -> String { "value\(number)" }

    static let selectValueColumns = "SELECT name FROM pragma_table_info('documents') WHERE name GLOB 'value[0-9]*'"

    static func addValueColumn(_ column: String) -> String { "ALTER TABLE documents ADD COLUMN \(column) ANY" }

    /// Returns a statement that sets the column in the existing documents of a group.
    static func fillValues(_ slot: IndexSlot) -> String {
        // The functions fail on a text that is not JSON.
        let value = "CASE WHEN json_valid(fields) THEN \(indexedValue(slot.index)) END"
        return "UPDATE documents SET \(slot.column) = \(value) \(ofGroup) AND \(value) IS NOT NULL"
    }

    static func clearValues(_ column: String) -> String {
        "UPDATE documents SET \(column) = NULL \(ofGroup) AND \(column) IS NOT NULL"
    }

    /// The condition names the databases because the indexes begin with them.
    private static let ofGroup = "WHERE database IN (SELECT id FROM databases) AND collection = ?"

    /// Returns an expression for the value that an index contains, else NULL.
    static func indexedValue(_ index: FieldIndex) -> String {
        guard let type = index.type else {
            return "\(QueryFunctions.readableKey)(fields, \(quoted(QueryFunctions.argument(index.field))))"
        }
        return typedValue(index.field, type)
    }

    /// Returns an expression for the value of a field if it has the type, else NULL.
    static func typedValue(_ field: FieldPath, _ type: FieldIndex.ValueType) -> String {
        let names = field.segments.map { "\"\($0)\"" }.joined(separator: ".mapValue.fields.")
        return "json_extract(fields, \(quoted("$.\(names).\(type.rawValue)")))"
    }

    // MARK: Declarations

    /// A table of the fields whose values the columns contain. `collection` is a collection's id as in `documents`,
    /// `field` the name of a field's index, `type` the name of a member of Firestore's JSON, or `value` for all
    /// types, `slot` the column's number.
    static let createFieldIndexes = """
        CREATE TABLE field_indexes (
            collection TEXT NOT NULL,
            field TEXT NOT NULL,
            type TEXT NOT NULL,
            slot INTEGER NOT NULL,
            PRIMARY KEY (collection, slot)
        ) STRICT
        """

    static let selectFieldIndexes = "SELECT collection, field, type, slot FROM field_indexes ORDER BY rowid"
    static let insertFieldIndex = "INSERT INTO field_indexes (collection, field, type, slot) VALUES (?, ?, ?, ?)"
    static let deleteFieldIndex = "DELETE FROM field_indexes WHERE collection = ? AND slot = ?"

    // MARK: Indexes

    static func valueIndex(_ column: String) -> String { "documents_by_\(column)" }

    static let selectValueIndexes = """
        SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND name GLOB 'documents_by_value[0-9]*'
        """

    /// Returns a statement for an index in the order of the values, and of paths among equal values.
    static func createValueIndex(_ column: String) -> String {
        """
        CREATE INDEX \(valueIndex(column)) ON documents (database, collection, \(column), path) \
        WHERE \(column) IS NOT NULL
        """
    }

    static func dropIndex(_ name: String) -> String { "DROP INDEX \(identifier(name))" }

    private static func quoted(_ text: String) -> String { "'\(doubling("'", in: text))'" }
    private static func identifier(_ text: String) -> String { "\"\(doubling("\"", in: text))\"" }

    /// Doubles a mark, also one that is a character together with the scalars after it.
    private static func doubling(_ mark: Unicode.Scalar, in text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.flatMap { $0 == mark ? [mark, mark] : [$0] }))
    }
}
