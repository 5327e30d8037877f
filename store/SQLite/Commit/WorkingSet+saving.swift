/// The automatic indexes of a database, and the entries that the documents of a commit are to have in them.
struct AutomaticIndex {
    let statements: EntryStatements
    let entries: [DocumentPath: Set<FieldEntry>]
}

extension WorkingSet<DocumentRow> {
    /// Writes the changed documents to the table. A document that was not there when the set was computed must not be
    /// there now, unless its write is the only one.
    ///
    /// - Parameters:
    ///   - statements: the table's.
    ///   - versions: receives the documents that are superseded, if the database keeps them.
    ///   - index: the automatic indexes and the changed documents' entries in them, if the database has them.
    ///   - database: the database's number.
    ///   - time: the commit's time.
    ///   - didChange: called with the document's path, with the document before, and with the row after.
    /// - Returns: `false` if the only write inserts a document that is there: nothing was changed.
    func save(
        with statements: DocumentStatements, _ versions: inout VersionStatements?, _ index: AutomaticIndex?,
        in database: Int64, at time: Timestamp, didChange: (DocumentPath, StoredDocument?, DocumentRow?) -> Void
    ) throws -> Bool {
        for place in changed {
            let before = place.row?.document
            let id: Int64
            var after: DocumentRow?
            switch (place.row, place.document) {
            case (nil, let document?):
                guard let row = try statements.insert(document, by: place.write, in: database) else { return false }
                id = row.id
                after = row
            case (let row?, let document?):
                id = row.id
                after = try statements.update(row, to: document, by: place.write)
            case (let row?, nil):
                id = row.id
                try statements.delete(row)
            case (nil, nil): continue
            }
            if let index {
                let entries = index.entries[place.write.path] ?? []
                try index.statements.replace(before, with: entries, at: id, of: place.write, in: database)
            }
            if let before { try versions?.insert(before, of: place.write.key, in: database, until: time) }
            didChange(place.write.path, before, after)
        }
        return true
    }
}
