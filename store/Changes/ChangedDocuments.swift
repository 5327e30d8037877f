/// A document that a commit created, changed or removed.
struct ChangedDocument: Sendable {
    let database: DatabaseID
    let path: DocumentPath
    /// The document before the commit; `nil` if the commit created it.
    let before: StoredDocument?
    /// The document after the commit; `nil` if the commit removed it.
    let after: StoredDocument?
    /// The commit's time.
    let time: Timestamp
}

/// The changes of a group of commits.
struct ChangedDocuments: Sendable {
    /// The removal of all documents of a database, which are not in ``ChangedDocuments/all``.
    struct Removal: Sendable {
        let database: DatabaseID
        /// The database's number before the removal.
        let number: Int64
        let time: Timestamp
    }

    /// The changed documents, one element for each document and commit, in the order of the commits.
    private(set) var all: [ChangedDocument] = []
    private(set) var removals: [Removal] = []
    /// The changed databases that keep versions.
    var versioned: Set<DatabaseID> = []

    mutating func append(_ change: ChangedDocument) { all.append(change) }

    mutating func append(_ removal: Removal) { removals.append(removal) }

    func concern(_ scope: Query.Scope, in database: DatabaseID) -> Bool {
        removals.contains { $0.database == database }
            || all.contains { $0.database == database && scope.contains($0.path) }
    }
}
