package import DocumentStore

extension DatabaseID {
    /// Parses a database's name, `projects/{p}/databases/{d}`.
    ///
    /// - Throws: `INVALID_ARGUMENT` for any other text.
    package init(firestoreName: String) throws(FirestoreStatus) {
        self = try ResourceName(firestoreName, of: .database).database
    }
}

/// The full name of a document, `projects/{p}/databases/{d}/documents/{path}`.
struct DocumentName: Sendable {
    let database: DatabaseID
    let path: DocumentPath

    /// Parses a name.
    ///
    /// - Parameter isStored: `true` for a name from a store, of whose database any name is taken.
    /// - Throws: `INVALID_ARGUMENT` if the text is not a document's full name, with the place of the mistake.
    init(_ name: String, isStored: Bool = false) throws(FirestoreStatus) {
        let parts = try ResourceName(name, of: .document, isStored: isStored)
        database = parts.database
        path = try parts.documentPath(of: .document, name)
    }
}

extension DocumentPath {
    /// Parses the full name of a document of one database.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the text is not a document's full name, or another database's document.
    init(firestoreName name: String, in database: DatabaseID) throws(FirestoreStatus) {
        let parsed = try DocumentName(name)
        guard parsed.database == database else {
            throw .invalid("Document name \"\(name)\" is not of the database \"\(database)\" of the request.")
        }
        self = parsed.path
    }
}

/// The name of a document, or of the root of a database's documents, below which collections are.
struct ParentName: Sendable {
    let database: DatabaseID
    /// The document; `nil` for the root.
    let document: DocumentPath?

    /// Parses a name, `projects/{p}/databases/{d}/documents` or that of a document.
    ///
    /// - Throws: `INVALID_ARGUMENT` for any other text, with the place of the mistake.
    init(_ name: String) throws(FirestoreStatus) {
        let parts = try ResourceName(name, of: .parent)
        database = parts.database
        if parts.path == nil {
            document = nil
        } else {
            document = try parts.documentPath(of: .parent, name)
        }
    }

    /// Returns the path of the collection with an id below the parent.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the text is not a valid id.
    func collection(_ id: String) throws(FirestoreStatus) -> CollectionPath {
        guard !id.utf8.contains(UInt8(ascii: "/")) else { throw .invalid("Collection id \"\(id)\" contains \"/\".") }
        do {
            if let document { return try document.collection(id) }
            return try CollectionPath(id)
        } catch {
            throw FirestoreStatus(error)
        }
    }
}
