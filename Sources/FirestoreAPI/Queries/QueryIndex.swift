import DocumentStore
import Texts

/// An index with which production answers a query, or one alternative of it.
struct QueryIndex: Hashable, Sendable {
    /// A field of an index, in the way it is indexed.
    struct Field: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case ascending, descending, arrayContains
            case vector(dimension: Int)
        }

        let path: FieldPath
        let kind: Kind

        init(_ path: FieldPath, _ kind: Kind) {
            self.path = path
            self.kind = kind
        }

        fileprivate init(_ order: Order) {
            self.init(order.field, order.direction == .ascending ? .ascending : .descending)
        }
    }

    /// The collection's id; `nil` for collections of any id.
    let collection: ExactText?
    let isGroup: Bool
    /// The fields with equality and arrays, then those of the order. The last one is the document's name.
    let fields: [Field]
    /// `true` if the index has one field, or merges of such indexes answer the query, as far as production indexes
    /// fields without being asked.
    let isAutomatic: Bool
}

extension QueryIndex {
    /// The greatest number of alternatives that are looked at. Valid queries have fewer.
    private static let mostAlternatives = 64

    /// Returns an index for each alternative of a query, without repetitions.
    static func indexes(for query: Query) -> [QueryIndex] {
        let orders = wholeOrders(of: query)
        var indexes: [QueryIndex] = []
        for conditions in alternatives(of: query.filter) {
            let index = QueryIndex(query.scope, conditions, orders)
            if !indexes.contains(index) { indexes.append(index) }
        }
        return indexes
    }

    /// Returns the index for a search among the results that this index finds.
    func with(_ nearest: NearestNeighbors) -> QueryIndex {
        let vector = Field(nearest.field, .vector(dimension: nearest.vector.count))
        return QueryIndex(collection: collection, isGroup: isGroup, fields: fields + [vector], isAutomatic: false)
    }

    private init(_ scope: Query.Scope, _ conditions: [Filter], _ orders: [Order]) {
        switch scope {
        case .collection(let path): (collection, isGroup) = (ExactText(path.id), false)
        case .collectionGroup(let id, _): (collection, isGroup) = (ExactText(id), true)
        case .children: (collection, isGroup) = (nil, false)
        case .descendants: (collection, isGroup) = (nil, true)
        }
        let prefix = Self.prefix(conditions, without: orders)
        fields = prefix + orders.map(Field.init)
        isAutomatic = Self.isAutomatic(prefix, orders)
    }

    /// Returns the fields that have one value in all results, sorted.
    private static func prefix(_ conditions: [Filter], without orders: [Order]) -> [Field] {
        var fields = Set(conditions.compactMap(\.indexedField))
        for order in orders { fields.remove(Field(order.field, .ascending)) }
        return fields.sorted { left, right in
            left.path == right.path ? right.isArray : left.path.description < right.path.description
        }
    }

    /// Merges of single indexes answer equality; an order or an array needs a composite index with anything else.
    private static func isAutomatic(_ prefix: [Field], _ orders: [Order]) -> Bool {
        let fields = orders.dropLast()
        let sameDirection = fields.last.map { $0.direction == orders.last?.direction } ?? true
        if prefix.isEmpty { return fields.count <= 1 && sameDirection }
        return fields.isEmpty && (prefix.count == 1 || !prefix.contains { $0.isArray })
    }

    /// Returns the orders of a query with those that Firestore adds: the fields of inequalities, then the name.
    private static func wholeOrders(of query: Query) -> [Order] {
        var orders = query.orders
        if orders.last?.field == .documentName { return orders }
        let direction = orders.last?.direction ?? .ascending
        let inequalities = Set(query.filter?.conditions.compactMap(\.inequalityField) ?? [])
        for field in inequalities.sorted(by: { $0.description < $1.description }) where field != .documentName {
            if !orders.contains(where: { $0.field == field }) { orders.append(Order(field, direction)) }
        }
        return orders + [Order(.documentName, direction)]
    }

    private static func alternatives(of filter: Filter?) -> [[Filter]] {
        guard let filter else { return [[]] }
        switch filter {
        case .and(let filters):
            var product: [[Filter]] = [[]]
            for filter in filters { product = Self.product(of: product, alternatives(of: filter)) }
            return product
        case .or(let filters): return Array(filters.flatMap { alternatives(of: $0) }.prefix(mostAlternatives))
        case .field, .unary: return [[filter]]
        }
    }

    private static func product(of left: [[Filter]], _ right: [[Filter]]) -> [[Filter]] {
        var product: [[Filter]] = []
        for one in left {
            for other in right where product.count < mostAlternatives { product.append(one + other) }
        }
        return product
    }
}

extension QueryIndex.Field {
    fileprivate var isArray: Bool { kind == .arrayContains }
}

extension Filter {
    /// The conditions in a filter, in any depth.
    fileprivate var conditions: [Filter] {
        switch self {
        case .and(let filters), .or(let filters): filters.flatMap(\.conditions)
        case .field, .unary: [self]
        }
    }

    /// The field of a condition that leaves a range of values.
    fileprivate var inequalityField: FieldPath? {
        switch self {
        case .field(let field, let comparison, _):
            switch comparison {
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn: field
            case .equal, .in, .arrayContains, .arrayContainsAny: nil
            }
        case .unary(let field, let test): test == .isNotNull || test == .isNotNaN ? field : nil
        case .and, .or: nil
        }
    }

    /// The field of a condition that leaves one value, or of one on an array's elements.
    fileprivate var indexedField: QueryIndex.Field? {
        switch self {
        case .field(let field, _, _) where field == .documentName: nil
        case .field(let field, .equal, _), .field(let field, .in, _): QueryIndex.Field(field, .ascending)
        case .field(let field, .arrayContains, _), .field(let field, .arrayContainsAny, _):
            QueryIndex.Field(field, .arrayContains)
        case .unary(let field, let test) where test == .isNull || test == .isNaN: QueryIndex.Field(field, .ascending)
        case .field, .unary, .and, .or: nil
        }
    }
}
