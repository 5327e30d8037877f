/// A document that a commit created, changed or removed.
package struct ChangedDocument: Sendable {
    package let database: DatabaseID
    package let path: DocumentPath
    /// The document before the commit; `nil` if the commit created it.
    package let before: StoredDocument?
    /// The document after the commit; `nil` if the commit removed it.
    package let after: StoredDocument?
    /// The commit's time.
    package let time: Timestamp

    package init(
        database: DatabaseID, path: DocumentPath, before: StoredDocument?, after: StoredDocument?, time: Timestamp
    ) {
        self.database = database
        self.path = path
        self.before = before
        self.after = after
        self.time = time
    }
}

/// The changes of a group of commits.
package struct ChangedDocuments: Sendable {
    /// The removal of all documents of a database, which are not in ``ChangedDocuments/all``.
    package struct Removal: Sendable {
        package let database: DatabaseID
        /// The database's number before the removal.
        package let number: Int64
        package let time: Timestamp

        package init(database: DatabaseID, number: Int64, time: Timestamp) {
            self.database = database
            self.number = number
            self.time = time
        }
    }

    /// The changed documents, one element for each document and commit, in the order of the commits.
    package private(set) var all: [ChangedDocument] = []
    package private(set) var removals: [Removal] = []
    /// The changed databases that keep versions.
    package var versioned: Set<DatabaseID> = []
    /// `true` if the outcome of a transaction is kept.
    package var hasOutcomes = false

    package init() {}

    package var isEmpty: Bool { all.isEmpty && removals.isEmpty }

    package mutating func append(_ change: ChangedDocument) { all.append(change) }

    package mutating func append(_ removal: Removal) { removals.append(removal) }

    func concern(_ scope: Query.Scope, in database: DatabaseID) -> Bool {
        removals.contains { $0.database == database }
            || all.contains { $0.database == database && scope.contains($0.path) }
    }
}
