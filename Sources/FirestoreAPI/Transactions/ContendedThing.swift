import DocumentStore

/// A thing for which transactions contend: a document, or all documents that a query searches.
///
/// They form a tree: a database contains the groups of collections with the same id, a group contains collections, and
/// a collection contains documents. A query counts as a search of the smallest of these that contains its results; its
/// filter does not matter, because results that do not exist yet count too.
struct ContendedThing: Hashable, Sendable {
    private enum Extent: Hashable, Sendable {
        case document(DocumentPath)
        case scope(Query.Scope)
    }

    private let database: DatabaseID
    private let extent: Extent

    private init(_ extent: Extent, in database: DatabaseID) {
        self.database = database
        self.extent = extent
    }

    /// Makes a document, which may be missing.
    init(_ path: DocumentPath, in database: DatabaseID) { self.init(.document(path), in: database) }

    /// Makes the documents that a query searches.
    init(_ scope: Query.Scope, in database: DatabaseID) {
        let whole: Query.Scope =
            switch scope {
            case .collection: scope
            case .collectionGroup(let id, _): .collectionGroup(id)
            case .children, .descendants: .descendants()
            }
        self.init(.scope(whole), in: database)
    }

    /// Returns the documents that a transaction has read, and those that its queries have searched.
    static func things(of reads: TransactionReads, in database: DatabaseID) -> Set<ContendedThing> {
        Set(reads.paths.lazy.map { ContendedThing($0, in: database) })
            .union(reads.queries.lazy.map { ContendedThing($0.scope, in: database) })
    }

    /// The things that contain this one.
    var containers: [ContendedThing] {
        let scopes: [Query.Scope] =
            switch extent {
            case .document(let path):
                [.collection(path.collection), .collectionGroup(path.collection.id), .descendants()]
            case .scope(.collection(let path)): [.collectionGroup(path.id), .descendants()]
            case .scope(.collectionGroup): [.descendants()]
            case .scope: []
            }
        return scopes.map { ContendedThing(.scope($0), in: database) }
    }
}
