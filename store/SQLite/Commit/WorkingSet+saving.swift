/// The automatic indexes of a database, and the entries that the documents of a commit are to have in them.
struct AutomaticIndex {
    let statements: EntryStatements
    let entries: [DocumentPath: Set<FieldEntry>]
}

extension WorkingSet<DocumentRow> {
    /// Writes the changed documents to the table.
    ///
    /// - Parameters:
    ///   - statements: the table's.
    ///   - versions: receives the documents that are superseded, if the database keeps them.
    ///   - index: the automatic indexes and the changed documents' entries in them, if the database has them.
    ///   - database: the database's number.
    ///   - time: the commit's time.
    ///   - didChange: called with the document's path, and with the document before and after.
    func save(
        with statements: DocumentStatements, _ versions: inout VersionStatements?, _ index: AutomaticIndex?,
        in database: Int64, at time: Timestamp, didChange: (DocumentPath, StoredDocument?, StoredDocument?) -> Void
    ) throws {
        for place in changed {
            let before = place.row?.document
            let id: Int64
            switch (place.row, place.document) {
            case (nil, let document?): id = try statements.insert(document, by: place.write, in: database)
            case (let row?, let document?): id = try statements.update(row, to: document, by: place.write)
            case (let row?, nil): id = try statements.delete(row)
            case (nil, nil): continue
            }
            if let index {
                let entries = index.entries[place.write.path] ?? []
                try index.statements.replace(before, with: entries, at: id, of: place.write, in: database)
            }
            if let before { try versions?.insert(before, of: place.write.key, in: database, until: time) }
            didChange(place.write.path, before, place.document)
        }
    }
}
