/// A query for documents: its scope, filter, order, cursors and limit.
public struct Query: Sendable {
    /// The collections to search.
    public enum Scope: Sendable {
        /// The documents directly in a collection.
        case collection(CollectionPath)
        /// The documents of each collection with this id, at any depth, below a document or, for `nil`, in the whole
        /// database.
        case collectionGroup(String, below: DocumentPath? = nil)
        /// The documents of all collections directly below a document or, for `nil`, at the root. Such a query can
        /// filter and order by the document's name only.
        case children(of: DocumentPath? = nil)
        /// The documents of all collections at any depth, below a document or, for `nil`, in the whole database. Such
        /// a query can filter and order by the document's name only.
        case descendants(of: DocumentPath? = nil)
    }

    /// The collections to search.
    public var scope: Scope
    /// The condition on the documents; `nil` matches all.
    public var filter: Filter?
    /// The order of the result. A document that lacks one of these fields does not match. The fields of inequalities
    /// and the document's name follow as the last orders, in the direction of the last one given here. No field may
    /// occur twice, and none may follow the document's name.
    public var orders: [Order] = []
    /// The position at which the result begins; `nil` for the first document.
    public var start: Cursor?
    /// The position at which the result ends; `nil` for the last document.
    public var end: Cursor?
    /// The number of documents to skip from the start.
    public var offset = 0
    /// The greatest number of documents to return; `nil` for all.
    public var limit: Int?
    /// The fields to return, or `nil` for all; `[]` for names only.
    public var projection: [FieldPath]?

    /// Makes a query for all documents of a scope, ordered by name.
    public init(_ scope: Scope) { self.scope = scope }
}

extension Query.Scope: Hashable {
    /// Compares the bytes of the names.
    public static func == (left: Query.Scope, right: Query.Scope) -> Bool {
        switch (left, right) {
        case (.collection(let left), .collection(let right)): left == right
        case (.collectionGroup(let left, let leftAncestor), .collectionGroup(let right, let rightAncestor)):
            left.hasSameBytes(as: right) && leftAncestor == rightAncestor
        case (.children(let left), .children(let right)), (.descendants(let left), .descendants(let right)):
            left == right
        default: false
        }
    }

    /// Hashes the bytes of the names.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .collection(let path): hasher.combine(path)
        case .collectionGroup(let id, let ancestor):
            id.hashBytes(into: &hasher)
            hasher.combine(ancestor)
        case .children(let document), .descendants(let document): hasher.combine(document)
        }
    }
}

extension Query {
    /// Returns a query for the documents directly in a collection.
    public static func collection(_ path: CollectionPath) -> Query { Query(.collection(path)) }
    /// Returns a query for the documents of all collections with an id, below a document or anywhere.
    public static func collectionGroup(_ id: String, below document: DocumentPath? = nil) -> Query {
        Query(.collectionGroup(id, below: document))
    }
    /// Returns a query for the documents of all collections directly below a document, or at the root.
    public static func children(of document: DocumentPath?) -> Query { Query(.children(of: document)) }
    /// Returns a query for the documents of all collections at any depth below a document, or for all documents.
    public static func descendants(of document: DocumentPath?) -> Query { Query(.descendants(of: document)) }

    /// Returns this query with one more condition, joined to the others by "and".
    public func `where`(_ field: FieldPath, _ comparison: Filter.Comparison, _ value: Value) -> Query {
        filtered(by: .field(field, comparison, value))
    }

    /// Returns this query with one more test of a field's value, joined to the other conditions by "and".
    public func `where`(_ field: FieldPath, _ test: Filter.UnaryComparison) -> Query {
        filtered(by: .unary(field, test))
    }

    private func filtered(by condition: Filter) -> Query {
        var copy = self
        copy.filter = filter.map { .and([$0, condition]) } ?? condition
        return copy
    }

    /// Returns this query with one more order, after those it has.
    public func ordered(by field: FieldPath, _ direction: Order.Direction = .ascending) -> Query {
        var copy = self
        copy.orders.append(Order(field, direction))
        return copy
    }

    /// Returns this query with a limit on the number of documents.
    public func limited(to limit: Int) -> Query {
        var copy = self
        copy.limit = limit
        return copy
    }
}

/// A field by which a query orders its documents, and the direction.
public struct Order: Hashable, Sendable {
    /// The direction of an order.
    public enum Direction: Hashable, Sendable {
        /// The least value first.
        case ascending
        /// The greatest value first.
        case descending
    }

    /// The field; ``FieldPath/documentName`` orders by name.
    public let field: FieldPath
    /// The direction, in Firestore's order of values.
    public let direction: Direction

    /// Puts the least value first if no direction is given.
    public init(_ field: FieldPath, _ direction: Direction = .ascending) {
        self.field = field
        self.direction = direction
    }
}

/// A position in a query's order: a value for each of the first orders. The value for the document's name is a
/// reference to a document, which need not exist.
public struct Cursor: Hashable, Sendable {
    /// The values of the first orders' fields. Without values, the position has no effect.
    public let values: [Value]
    /// As a start, `true` if the position itself is excluded. As an end, `true` if it is included.
    public let isAfter: Bool

    /// Makes a position. A query fails with `INVALID_ARGUMENT` if ``Query/orders`` has fewer orders than there are
    /// values; orders that the query adds by itself do not count.
    public init(_ values: [Value], isAfter: Bool) {
        self.values = values
        self.isAfter = isAfter
    }
}

/// The documents that match a watched query at one moment.
public struct QuerySnapshot: Sendable {
    /// The documents, in the query's order.
    public let documents: [Document]
    /// The time of a commit that the documents reflect, with all commits before it.
    public let readTime: Timestamp

    /// Makes a snapshot. An engine calls this.
    public init(documents: [Document], readTime: Timestamp) {
        self.documents = documents
        self.readTime = readTime
    }
}
