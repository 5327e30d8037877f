import GRDB

/// One state of a database, read in a transaction.
struct DatabaseState {
    let database: DatabaseID
    /// The database's number in its column.
    let number: Int64
    /// The time of the state; `nil` for the one that the transaction sees.
    let time: Timestamp?
    let slots: IndexSlots
    /// `true` if the database has automatic indexes.
    let hasEntries: Bool
    let unreadable: UnreadableDocuments

    func documents(at paths: [DocumentPath], _ db: Database) throws -> [Document?] {
        let lookup = try DocumentLookup(db, at: time)
        return try paths.map { path in
            try lookup.document(RowKey(path), in: number)?.document(at: path)
        }
    }

    func compiler(_ query: PlannedQuery) -> QueryCompiler {
        QueryCompiler(
            query, in: database, number: number, at: time, slots: slots, hasEntries: hasEntries,
            unreadable: unreadable)
    }

    func collectionIDs(below document: DocumentPath?, _ db: Database) throws -> [String] {
        try CollectionScan(database: number, at: time, below: document).ids(db)
    }

    /// Returns a page of a collection's documents and of the missing documents that have documents below them.
    ///
    /// - Parameters:
    ///   - query: the documents of the page.
    ///   - limit: the greatest number of entries.
    func listing(
        of collection: CollectionPath, _ query: PlannedQuery, after id: String?, limit: Int, _ db: Database
    ) throws -> [ListedDocument] {
        let parents = CollectionScan(database: number, at: time, parentsIn: collection, after: id)
        var merge = ListingMerge(collection: collection, limit: limit, parents: parents)
        return try merge.entries(compiler(query).documents(db), db)
    }
}
