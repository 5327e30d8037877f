/// Which documents a group of commits made, changed or removed.
struct ChangedDocuments: Sendable {
    private var paths: [(database: DatabaseID, path: DocumentPath)] = []

    mutating func append(_ path: DocumentPath, in database: DatabaseID) {
        paths.append((database, path))
    }

    func concern(_ scope: Query.Scope, in database: DatabaseID) -> Bool {
        paths.contains { $0.database == database && scope.contains($0.path) }
    }
}
