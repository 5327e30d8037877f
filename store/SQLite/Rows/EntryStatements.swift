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
    ///   - after: the document that is to have entries; `nil` for a deleted one.
    ///   - row: the document's id in its column.
    /// - Throws: `DATA_LOSS` if the fields of `after` cannot be read.
    func replace(
        _ before: StoredDocument?, with after: StoredDocument?, at row: Int64, of write: KeyedWrite, in database: Int64
    ) throws {
        let new = try after.map { FieldEntry.entries(of: try $0.fields(at: write.path)) } ?? []
        var old: Set<FieldEntry> = []
        if let before {
            if let fields = try? before.fields(at: write.path) {
                old = FieldEntry.entries(of: fields)
            } else {
                try removeAll(of: row, write.key, in: database)
            }
        }
        for entry in old.subtracting(new) { try delete.run(entry, of: row, write.key, in: database) }
        for entry in new.subtracting(old) { try insert.run(entry, of: row, write.key, in: database) }
    }

    /// Writes the entries of a document that has none.
    func insert(_ fields: Fields, at row: Int64, of key: RowKey, in database: Int64) throws {
        for entry in FieldEntry.entries(of: fields) { try insert.run(entry, of: row, key, in: database) }
    }

    private func removeAll(of row: Int64, _ key: RowKey, in database: Int64) throws {
        deleteAll.bind(database, at: 1)
        deleteAll.bind(row, at: 3)
        try key.withColumns { parent, _, _ in try deleteAll.with(parent, at: 2, deleteAll.execute) }
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
