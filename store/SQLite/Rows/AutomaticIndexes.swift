import GRDB

/// Makes the entries of automatic indexes match the settings.
enum AutomaticIndexes {
    /// Writes the entries of the databases that are to have them and have none, and removes those of others. Call this
    /// in a transaction.
    ///
    /// - Parameters:
    ///   - isIndexed: returns `true` for a database that is to have entries.
    ///   - indexes: the declared indexes.
    ///   - willIndex: called before the entries of a database are written, which can take a minute.
    static func synchronize(
        _ isIndexed: (DatabaseID) -> Bool, declared indexes: [FieldIndex], in db: Database,
        willIndex: (DatabaseID) -> Void
    ) throws {
        for stored in try SQLStatements.indexedDatabases(db) {
            let isWanted = isIndexed(stored.database)
            guard isWanted != stored.isIndexed else { continue }
            if isWanted {
                willIndex(stored.database)
                try write(stored.number, declared: indexes, db)
            } else {
                try db.execute(sql: SQL.deleteEntriesOfDatabase, arguments: [stored.number])
            }
            try db.execute(sql: SQL.updateIndexed, arguments: [isWanted, stored.number])
        }
    }

    /// Writes the entries of all documents that can be read.
    ///
    /// - Throws: `FAILED_PRECONDITION` for a document that would have too many.
    private static func write(_ database: Int64, declared indexes: [FieldIndex], _ db: Database) throws {
        let statements = try EntryStatements(db)
        let documents = try RawStatement(SQL.selectDocumentsToIndex, db)
        documents.bind(database, at: 1)
        defer { documents.reset() }
        while try documents.step() {
            let path = DocumentPath(
                unchecked: PathText.joined(
                    StoredName.decode(documents.text(1)), StoredName.decode(documents.text(2))))
            guard let fields = try? FieldsDecoder.decode(documents.bytes(3), of: path) else { continue }
            try statements.insert(
                entries(of: fields, at: path, declared: indexes), at: documents.number(0), of: RowKey(path),
                in: database)
        }
    }

    private static func entries(
        of fields: Fields, at path: DocumentPath, declared indexes: [FieldIndex]
    ) throws(StoreError) -> Set<FieldEntry> {
        do throws(StoreError) {
            return try FieldEntry.entries(of: fields, at: path, declared: indexes)
        } catch {
            throw StoreError(
                .failedPrecondition,
                error.message + "; open the database without them, and delete or change the document first")
        }
    }
}
