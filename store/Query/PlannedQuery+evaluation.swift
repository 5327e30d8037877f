extension PlannedQuery {
    /// The documents that match, of all there are: the meaning of a query, in memory. The SQL is tested against it.
    func evaluate(over documents: some Sequence<Document>, in database: DatabaseID) -> [Document] {
        let rows = documents.compactMap { row(of: $0, in: database) }
            .sorted { ordering($0.keys, $1.keys) == .before }
            .dropFirst(offset)
        return rows.prefix(limit ?? rows.count).map { projected($0.document) }
    }

    private struct Row {
        let document: Document
        /// The value of each order's field.
        let keys: [Value]
    }

    /// Nil for a document that does not match, or lacks a field that the query is ordered by.
    private func row(of document: Document, in database: DatabaseID) -> Row? {
        guard scope.contains(document.path), filter?.matches(document, in: database) ?? true else { return nil }
        let keys = orders.compactMap { document.value(of: $0.field, in: database) }
        guard keys.count == orders.count, isWithinCursors(keys) else { return nil }
        return Row(document: document, keys: keys)
    }

    /// How two rows, or a row and a cursor, stand to each other in the query's directions.
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

    /// Returns what the query wants of a document.
    func projected(_ document: Document) -> Document {
        guard let projection else { return document }
        return Document(
            path: document.path, fields: document.fields.projected(to: projection), createTime: document.createTime,
            updateTime: document.updateTime)
    }
}
