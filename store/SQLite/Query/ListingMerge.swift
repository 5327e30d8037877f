import GRDB

/// The merge of a page of documents with the parents of other documents, both in the order of their ids.
struct ListingMerge {
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
