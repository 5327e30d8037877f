/// A query that was checked and made whole: every order it has, the implied ones too, and cursors that fit them.
/// Both the evaluator in memory and the translation to SQL begin here, so that they answer the same question.
struct PlannedQuery {
    let scope: Query.Scope
    let filter: Filter?
    /// The document's name is the last.
    let orders: [Order]
    let start: Cursor?
    let end: Cursor?
    let offset: Int
    let limit: Int?
    let projection: [FieldPath]?

    /// - Throws: `INVALID_ARGUMENT`.
    init(_ query: Query, in database: DatabaseID) throws(StoreError) {
        try query.scope.validate()
        try query.filter?.validate(in: database)
        for order in query.orders where !order.field.isDocumentName { try order.field.validate() }
        for field in query.projection ?? [] where !field.isDocumentName { try field.validate() }
        guard query.offset >= 0, query.limit ?? 0 >= 0 else {
            throw .invalid("a query's offset and limit are not negative")
        }
        scope = query.scope
        filter = query.filter
        orders = Self.wholeOrders(of: query)
        start = query.start
        end = query.end
        offset = query.offset
        limit = query.limit
        projection = query.projection
        for cursor in [start, end].compactMap(\.self) { try Self.validate(cursor, against: orders, in: database) }
    }

    /// The orders asked for, then the fields that inequalities name, then the document's name, these two in the last
    /// direction that was asked for
    /// ([StructuredQuery.order_by](https://firebase.google.com/docs/firestore/reference/rest/v1/StructuredQuery)).
    private static func wholeOrders(of query: Query) -> [Order] {
        var orders: [Order] = []
        for order in query.orders {
            orders.append(order)
            // A name is unique: nothing after it can matter.
            if order.field.isDocumentName { return orders }
        }
        let direction = orders.last?.direction ?? .ascending
        for field in query.filter?.inequalityFields ?? [] where !field.isDocumentName {
            if !orders.contains(where: { $0.field == field }) { orders.append(Order(field, direction)) }
        }
        return orders + [Order(.documentName, direction)]
    }

    private static func validate(_ cursor: Cursor, against orders: [Order], in database: DatabaseID) throws(StoreError)
    {
        guard (1...orders.count).contains(cursor.values.count) else {
            throw .invalid("a cursor of \(cursor.values.count) values for a query of \(orders.count) orders")
        }
        for (value, order) in zip(cursor.values, orders) {
            try value.validate(depth: 0)
            if order.field.isDocumentName { try value.validateDocumentName(in: database) }
        }
    }
}

extension Query.Scope {
    fileprivate func validate() throws(StoreError) {
        if case .collectionGroup(let id, _) = self { try PathText.validateID(id) }
    }

    /// Whether a document is one of those the query is about.
    func contains(_ path: DocumentPath) -> Bool {
        switch self {
        case .collection(let collection): path.collection == collection
        case .collectionGroup(let id, let ancestor):
            path.collection.id.hasSameBytes(as: id)
                && (ancestor.map { path.description.utf8.starts(with: "\($0.description)/".utf8) } ?? true)
        }
    }
}
