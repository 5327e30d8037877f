import GRDB

extension SQLiteDocumentStore {
    /// Returns a page of a collection's documents and of the missing documents that have documents below them, in the
    /// order of their ids. Costs one seek for each document that has documents below it.
    public func listing(
        of collection: CollectionPath, after id: String?, limit: Int, projection: [FieldPath]?
    ) async throws(StoreError) -> [ListedDocument] {
        var query = Query.collection(collection).ordered(by: .documentName).limited(to: limit)
        query.projection = projection
        if let id {
            let last = try collection.document(id).name(in: database)
            query.start = Cursor([.reference(last)], isAfter: true)
        }
        let planned = try PlannedQuery(query, in: database)
        return try await read { db, number in
            let documents = try compiler(planned, number).documents(db)
            let parents = CollectionScan(database: number, parentsIn: collection, after: id)
            var merge = ListingMerge(collection: collection, limit: limit, parents: parents)
            return try merge.entries(documents, db)
        } ?? []
    }
}

/// The merge of a page of documents with the parents of other documents, both in the order of their ids.
private struct ListingMerge {
    let collection: CollectionPath
    let limit: Int
    var parents: CollectionScan

    mutating func entries(_ documents: [Document], _ db: Database) throws -> [ListedDocument] {
        var entries: [ListedDocument] = []
        var parent = limit > 0 ? try nextParent(db) : nil
        for document in documents {
            while let missing = parent, missing < document.path {
                guard entries.count < limit else { return entries }
                entries.append(ListedDocument(path: missing, document: nil))
                parent = try nextParent(db)
            }
            if parent == document.path { parent = try nextParent(db) }
            guard entries.count < limit else { return entries }
            entries.append(ListedDocument(path: document.path, document: document))
        }
        while entries.count < limit, let missing = parent {
            entries.append(ListedDocument(path: missing, document: nil))
            parent = try nextParent(db)
        }
        return entries
    }

    private mutating func nextParent(_ db: Database) throws -> DocumentPath? {
        try parents.next(db).map { DocumentPath(unchecked: PathText.joined(collection.description, $0)) }
    }
}
