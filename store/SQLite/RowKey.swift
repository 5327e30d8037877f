/// The columns that a document is found by.
struct RowKey: Sendable {
    /// The path of the collection.
    let parent: String
    /// The collection's id.
    let collection: String
    let document: String

    init(_ path: DocumentPath) {
        let collectionPath = path.collection
        parent = StoredName.encode(collectionPath.description)
        collection = StoredName.encode(collectionPath.id)
        document = StoredName.encode(path.id)
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
