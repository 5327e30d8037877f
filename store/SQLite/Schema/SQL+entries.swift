/// The SQL of the entries of automatic indexes.
extension SQL {
    // MARK: Tables

    /// The ``FieldEntry`` values of each document of an indexed database, in the order of the values. `of_database` and
    /// `of_parent` are the document's `database` and `parent`, `document_id` is its `id`; no name is that of a column
    /// of `documents`.
    static let createFieldEntries = """
        CREATE TABLE field_entries (
            of_database INTEGER NOT NULL,
            of_parent TEXT NOT NULL,
            field TEXT NOT NULL,
            key BLOB NOT NULL,
            document_id INTEGER NOT NULL,
            PRIMARY KEY (of_database, of_parent, field, key, document_id)
        ) STRICT, WITHOUT ROWID
        """

    // MARK: Changes

    static let insertEntry = """
        INSERT INTO field_entries (of_database, of_parent, field, key, document_id) VALUES (?, ?, ?, ?, ?)
        """
    static let deleteEntry = """
        DELETE FROM field_entries
        WHERE of_database = ? AND of_parent = ? AND field = ? AND key = ? AND document_id = ?
        """
    /// Reads all entries of the collection.
    static let deleteEntriesOfDocument = """
        DELETE FROM field_entries WHERE of_database = ? AND of_parent = ? AND document_id = ?
        """

    // MARK: Databases

    static let selectIndexed = "SELECT id, project, database, indexed FROM databases"
    static let updateIndexed = "UPDATE databases SET indexed = ? WHERE id = ?"
    static let selectDocumentsToIndex = "SELECT id, parent, document, fields FROM documents WHERE database = ?"
    static let deleteEntriesOfDatabase = "DELETE FROM field_entries WHERE of_database = ?"

    // MARK: Removed databases

    static let selectNextEntryNumber = "SELECT min(of_database) FROM field_entries WHERE of_database > ?"
    static let deleteSomeEntries = """
        DELETE FROM field_entries WHERE (of_database, of_parent, field, key, document_id) IN (\
        SELECT of_database, of_parent, field, key, document_id FROM field_entries WHERE of_database = ? LIMIT ?)
        """
}
