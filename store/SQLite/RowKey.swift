/// The columns that a document is found by.
struct RowKey: Sendable {
    /// The path of the collection.
    let parent: String
    /// The collection's id.
    let collection: String
    let document: String

    init(_ path: DocumentPath) {
        let collectionPath = PathText.parent(of: path.description[...]) ?? ""
        parent = StoredName.encode(collectionPath)
        collection = StoredName.encode(PathText.lastSegment(of: collectionPath))
        document = StoredName.encode(PathText.lastSegment(of: path.description[...]))
    }
}

/// A write that is ready for the writer, and where it goes.
struct KeyedWrite: Sendable {
    let write: PreparedWrite
    let key: RowKey

    /// - Throws: `INVALID_ARGUMENT`.
    init(_ write: Write) throws(StoreError) {
        self.write = try PreparedWrite(write)
        key = RowKey(write.path)
    }

    var path: DocumentPath { write.write.path }
}
