/// A checked and complete query: with all orders, the implied ones included, and cursors that fit them. Both the
/// evaluator in memory and the translation to SQL start from it, so that they answer the same question.
package struct PlannedQuery: Sendable {
    package let scope: Query.Scope
    package let filter: Filter?
    /// All orders; the last one is the document's name.
    package let orders: [Order]
    package let start: Cursor?
    package let end: Cursor?
    package var offset: Int
    package var limit: Int?
    /// The fields that the query requests; `nil` for all.
    private var selection: FieldSelection?
    /// Fields that a document must have in order to match, in addition to those of the orders.
    package let required: [FieldPath]

    /// Checks and completes a query for aggregations. As in Firestore, a document without one of the aggregated fields
    /// counts for none of them.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the query or an aggregation is not valid.
    package init(_ query: Query, for aggregations: [Aggregation], in database: DatabaseID) throws(StoreError) {
        try Aggregation.validate(aggregations)
        let fields = aggregations.compactMap(\.field)
        var query = query
        query.projection = fields
        if aggregations.allSatisfy({ $0.field == nil }), let most = Self.mostCounted(aggregations) {
            query.limit = min(query.limit ?? most, most)
        }
        try self.init(query, requiring: fields, in: database)
    }

    /// The query without its projection, whose tree may be large.
    var selectingAll: PlannedQuery {
        var query = self
        query.selection = nil
        return query
    }

    /// `true` if the query requests names alone, which can be read without the fields.
    var requestsNames: Bool { selection?.paths.allSatisfy(\.isDocumentName) ?? false }

    /// `true` if the query requests whole documents.
    var requestsAll: Bool { selection == nil }

    /// Returns the greatest limit of the counts; `nil` if one has no limit.
    private static func mostCounted(_ aggregations: [Aggregation]) -> Int? {
        var most = 0
        for aggregation in aggregations {
            guard case .countUpTo(let limit) = aggregation else { return nil }
            most = max(most, limit)
        }
        return most
    }

    /// Checks and completes a query.
    ///
    /// - Parameter required: fields without which a document does not match.
    /// - Throws: `INVALID_ARGUMENT` if the query is not valid.
    package init(_ query: Query, requiring required: [FieldPath] = [], in database: DatabaseID) throws(StoreError) {
        try query.scope.validate()
        try query.validateLimits()
        try query.filter?.validate(in: database)
        try Self.validate(query.orders)
        for field in query.projection ?? [] where !field.isDocumentName { try field.validate() }
        guard query.offset >= 0 else { throw .invalid("offset is negative") }
        guard query.limit ?? 0 >= 0 else { throw .invalid("limit is negative") }
        scope = query.scope
        filter = query.filter
        self.required = required
        orders = try Self.wholeOrders(of: query, required)
        start = try Self.cursor(query.start, of: query.orders, in: database)
        end = try Self.cursor(query.end, of: query.orders, in: database)
        offset = query.offset
        limit = query.limit
        selection = query.projection.map { FieldSelection($0) }
        try Self.validateKind(of: query)
    }

    /// Checks that a query over collections of any id names no fields: no index of Firestore could answer it.
    private static func validateKind(of query: Query) throws(StoreError) {
        switch query.scope {
        case .collection, .collectionGroup: return
        case .children, .descendants: break
        }
        if let field = query.filter?.firstField { throw .invalid("kind is required for filter: \(field)") }
        guard query.orders.allSatisfy(\.field.isDocumentName) else {
            throw .invalid("kind is required for all orders except __key__ ascending")
        }
    }

    private static func validate(_ orders: [Order]) throws(StoreError) {
        for (place, order) in orders.enumerated() {
            if order.field.isDocumentName {
                guard place == orders.count - 1 else { throw orderAfterName }
            } else {
                try order.field.validate()
                guard !orders[..<place].contains(where: { $0.field == order.field }) else {
                    throw .invalid("order by clause cannot contain duplicate fields \(order.field)")
                }
            }
        }
    }

    /// Returns the requested orders, then the fields of inequalities, the required fields and the document's name, all
    /// in the direction of the last requested order
    /// ([StructuredQuery.order_by](https://firebase.google.com/docs/firestore/reference/rest/v1/StructuredQuery)).
    ///
    /// - Throws: `INVALID_ARGUMENT` if the name is ordered by and a field of an inequality is not.
    private static func wholeOrders(of query: Query, _ required: [FieldPath]) throws(StoreError) -> [Order] {
        var orders = query.orders
        let inequalities = query.filter?.inequalityFields ?? []
        if orders.last?.field.isDocumentName == true {
            guard inequalities.allSatisfy({ orders.include($0) }) else { throw orderAfterName }
            // A name is unique, so an order after it has no effect.
            return orders
        }
        let direction = orders.last?.direction ?? .ascending
        for field in sorted(inequalities) + sorted(required) where !orders.include(field) && !field.isDocumentName {
            orders.append(Order(field, direction))
        }
        return orders + [Order(.documentName, direction)]
    }

    private static func sorted(_ fields: some Sequence<FieldPath>) -> [FieldPath] {
        fields.sorted { left, right in
            left.segments.lexicographicallyPrecedes(right.segments) { $0.precedesInBytes($1) }
        }
    }

    private static var orderAfterName: StoreError {
        .invalid("order by clause cannot contain more fields after the key")
    }

    /// Returns the cursor if it has values. They are often those of a document, so they may be such that only earlier
    /// versions accepted them.
    ///
    /// - Parameter orders: the orders that the query names. A cursor has values for these only.
    /// - Throws: `INVALID_ARGUMENT` if the values do not fit the orders.
    private static func cursor(
        _ cursor: Cursor?, of orders: [Order], in database: DatabaseID
    ) throws(StoreError) -> Cursor? {
        guard let cursor, !cursor.values.isEmpty else { return nil }
        guard cursor.values.count <= orders.count else { throw .invalid("Cursor has too many values.") }
        for (value, order) in zip(cursor.values, orders) {
            try value.validate(depth: 0, allowing: .stored)
            guard order.field.isDocumentName else { continue }
            guard value.rank == .reference else { throw .invalid("Cursor __key__ value is not a document reference.") }
            _ = try value.documentPath(in: database)
        }
        return cursor
    }
}

extension [Order] {
    /// Returns `true` if one of the orders is by the field.
    fileprivate func include(_ field: FieldPath) -> Bool { contains { $0.field == field } }
}

extension Query.Scope {
    fileprivate func validate() throws(StoreError) {
        if case .collectionGroup(let id, _) = self { try PathText.validateID(id) }
    }

    /// Returns `true` if the document is in the scope.
    func contains(_ path: DocumentPath) -> Bool {
        switch self {
        case .collection(let collection): path.collection == collection
        case .collectionGroup(let id, let ancestor):
            path.collection.id.hasSameBytes(as: id) && path.isBelow(ancestor)
        case .children(let document): path.collection.parent == document
        case .descendants(let document): path.isBelow(document)
        }
    }
}

extension DocumentPath {
    /// Returns `true` if the document is at any depth below the other one, or if there is no other one.
    fileprivate func isBelow(_ document: DocumentPath?) -> Bool {
        guard let document else { return true }
        return description.utf8.starts(with: "\(document.description)/".utf8)
    }
}

extension PlannedQuery {
    /// Returns the matching documents among all documents. This defines the meaning of a query, in memory; the tests
    /// compare the SQL with it.
    package func evaluate(over documents: some Sequence<Document>, in database: DatabaseID) -> [Document] {
        let rows = documents.compactMap { row(of: $0, in: database) }
            .sorted { ordering($0.keys, $1.keys) == .before }
            .dropFirst(offset)
        return rows.prefix(limit ?? rows.count).map { projected($0.document) }
    }

    private struct Row {
        let document: Document
        /// The values of the ordered fields, in their order.
        let keys: [Value]
    }

    /// Returns `true` if the document is in the result of the query without offset and limit.
    package func matches(_ document: Document, in database: DatabaseID) -> Bool {
        row(of: document, in: database) != nil
    }

    /// Returns `nil` for a document that does not match, or that lacks a field in the query's order.
    private func row(of document: Document, in database: DatabaseID) -> Row? {
        guard scope.contains(document.path), filter?.matches(document, in: database) ?? true,
            required.allSatisfy({ document.fields.value(at: $0) != nil })
        else { return nil }
        let keys = orders.compactMap { document.value(of: $0.field, in: database) }
        guard keys.count == orders.count, isWithinCursors(keys) else { return nil }
        return Row(document: document, keys: keys)
    }

    /// Returns the order of two rows, or of a row and a cursor, in the query's directions.
    private func ordering(_ left: [Value], _ right: [Value]) -> Ordering {
        for (order, (one, other)) in zip(orders, zip(left, right)) {
            let ordering = one.ordering(to: other)
            if ordering != .same { return order.direction == .ascending ? ordering : ordering.reversed }
        }
        return .same
    }

    private func isWithinCursors(_ keys: [Value]) -> Bool {
        if let start, !isAllowed(ordering(keys, start.values), .after, atPosition: !start.isAfter) { return false }
        if let end, !isAllowed(ordering(keys, end.values), .before, atPosition: end.isAfter) { return false }
        return true
    }

    private func isAllowed(_ ordering: Ordering, _ side: Ordering, atPosition: Bool) -> Bool {
        ordering == side || (ordering == .same && atPosition)
    }

    /// Returns the document with only the fields that the query requests.
    package func projected(_ document: Document) -> Document {
        guard let selection else { return document }
        return Document(
            path: document.path, fields: selection.parts(of: document.fields), createTime: document.createTime,
            updateTime: document.updateTime)
    }
}
