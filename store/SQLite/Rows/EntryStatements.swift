import GRDB

/// The statements that keep the entries of automatic indexes, prepared on the connection that writes.
struct EntryStatements {
    private let insert: RawStatement
    private let delete: RawStatement
    private let deleteAll: RawStatement

    init(_ db: Database) throws {
        insert = try RawStatement(SQL.insertEntry, db)
        delete = try RawStatement(SQL.deleteEntry, db)
        deleteAll = try RawStatement(SQL.deleteEntriesOfDocument, db)
    }

    /// Replaces a document's entries.
    ///
    /// - Parameters:
    ///   - before: the document that has entries; `nil` for a new one.
    ///   - new: the entries that it is to have.
    ///   - row: the document's id in its column.
    func replace(
        _ before: StoredDocument?, with new: Set<FieldEntry>, at row: Int64, of write: KeyedWrite, in database: Int64
    ) throws {
        var old: Set<FieldEntry> = []
        if let before {
            if let entries = try? before.entries(at: write.path) {
                old = entries
            } else {
                try removeAll(of: row, write.key, in: database)
            }
        }
        for entry in old.subtracting(new) { try delete.run(entry, of: row, write.key, in: database) }
        for entry in new.subtracting(old) { try insert.run(entry, of: row, write.key, in: database) }
    }

    /// Writes the entries of a document that has none.
    func insert(_ entries: Set<FieldEntry>, at row: Int64, of key: RowKey, in database: Int64) throws {
        for entry in entries { try insert.run(entry, of: row, key, in: database) }
    }

    private func removeAll(of row: Int64, _ key: RowKey, in database: Int64) throws {
        deleteAll.bind(database, at: 1)
        deleteAll.bind(row, at: 3)
        try key.withColumns { parent, _, _ in try deleteAll.with(parent, at: 2, deleteAll.execute) }
    }
}

extension StoredDocument {
    /// Returns the document's entries in the automatic indexes.
    ///
    /// - Throws: `DATA_LOSS` if its fields cannot be read; `INVALID_ARGUMENT` if the entries are too many or too large.
    func entries(at path: DocumentPath) throws(StoreError) -> Set<FieldEntry> {
        try FieldEntry.entries(of: fields(at: path), at: path)
    }
}

extension RawStatement {
    /// Runs a statement whose parameters are the columns of an entry.
    fileprivate func run(_ entry: FieldEntry, of row: Int64, _ key: RowKey, in database: Int64) throws {
        bind(database, at: 1)
        bind(row, at: 5)
        try key.withColumns { parent, _, _ in
            try with(parent, at: 2) {
                try with(entry.field, at: 3) { try with(blob: entry.key, at: 4, execute) }
            }
        }
    }
}
