/// Which documents, in which order, from where to where.
public struct Query: Sendable {
    public enum Scope: Hashable, Sendable {
        /// The documents directly in a collection.
        case collection(CollectionPath)
        /// The documents of every collection with this id, at any depth, below a document or anywhere.
        case collectionGroup(String, below: DocumentPath? = nil)
    }

    public var scope: Scope
    public var filter: Filter?
    /// The document's name is always the last order, in the direction of the one before it.
    public var orders: [Order] = []
    public var start: Cursor?
    public var end: Cursor?
    public var offset = 0
    public var limit: Int?
    /// The fields to return, or nil for all; `[]` for names only.
    public var projection: [FieldPath]?

    public init(_ scope: Scope) { self.scope = scope }
}

extension Query {
    public static func collection(_ path: CollectionPath) -> Query { Query(.collection(path)) }
    public static func collectionGroup(_ id: String, below document: DocumentPath? = nil) -> Query {
        Query(.collectionGroup(id, below: document))
    }

    /// This query with one more condition, joined by "and".
    public func `where`(_ field: FieldPath, _ comparison: Filter.Comparison, _ value: Value) -> Query {
        var copy = self
        let condition = Filter.field(field, comparison, value)
        copy.filter = filter.map { .and([$0, condition]) } ?? condition
        return copy
    }

    /// This query with one more order, after those it has.
    public func ordered(by field: FieldPath, _ direction: Order.Direction = .ascending) -> Query {
        var copy = self
        copy.orders.append(Order(field, direction))
        return copy
    }

    public func limited(to limit: Int) -> Query {
        var copy = self
        copy.limit = limit
        return copy
    }
}

/// A condition on a document's fields.
public indirect enum Filter: Hashable, Sendable {
    public enum Comparison: Hashable, Sendable {
        case lessThan, lessThanOrEqual, equal, notEqual, greaterThanOrEqual, greaterThan
        /// The field is an array that has the value.
        case arrayContains
        /// The field is an array that has one of the values (the operand is an array).
        case arrayContainsAny
        /// The field is one of the values (the operand is an array).
        case `in`
        /// The field exists, is not null, and is none of the values (the operand is an array).
        case notIn
    }

    case field(FieldPath, Comparison, Value)
    case and([Filter])
    case or([Filter])
}

public struct Order: Hashable, Sendable {
    public enum Direction: Hashable, Sendable { case ascending, descending }

    public let field: FieldPath
    public let direction: Direction

    public init(_ field: FieldPath, _ direction: Direction = .ascending) {
        self.field = field
        self.direction = direction
    }
}

/// A position in a query's order: one value for each of the first orders, the name (a reference) included.
public struct Cursor: Hashable, Sendable {
    public let values: [Value]
    /// As a start: whether the position itself is left out. As an end: whether it is included.
    public let isAfter: Bool

    public init(_ values: [Value], isAfter: Bool) {
        self.values = values
        self.isAfter = isAfter
    }
}

public enum Aggregation: Hashable, Sendable {
    case count
    /// The sum of the numeric values; integer while they all are, and it fits.
    case sum(FieldPath)
    /// The mean of the numeric values as a double, or null when there is none.
    case average(FieldPath)
}

/// What matched a watched query at one moment.
public struct QuerySnapshot: Sendable {
    public let documents: [Document]
    public let readTime: Timestamp

    public init(documents: [Document], readTime: Timestamp) {
        self.documents = documents
        self.readTime = readTime
    }
}
