import GRDB

extension QueryCompiler {
    /// Returns the expression by which a field's values are compared and ordered.
    func expression(_ field: FieldPath) -> SQLFragment {
        if field.isDocumentName { return SQLFragment(nameColumn) }
        return typedFields[field].map { SQLFragment(typedValue(field, $0)) } ?? sortKey(field)
    }

    func sortKey(_ field: FieldPath) -> SQLFragment {
        if let column = groupSlots.column(field, nil) { return SQLFragment(column) }
        return SQLFragment("\(QueryFunctions.sortKey)(fields, ?)", [QueryFunctions.argument(field)])
    }

    /// The column that orders by name. Within one collection, ids have the order of paths and are in the index by
    /// path; the index by a field has paths.
    private var nameColumn: String {
        guard case .collection = query.scope, query.orders.count == 1, !isByField else { return "path" }
        return "document"
    }

    // MARK: Cursors

    /// Compiles the condition for rows from a cursor on, or up to it. The first order decides; among equal rows the
    /// second does, and so on.
    func cursorCondition(_ cursor: Cursor?, isStart: Bool) -> SQLFragment? {
        guard let cursor else { return nil }
        let places: [Place] = zip(query.orders, cursor.values).map { ($0, $1) }
        guard let first = places.first else { return nil }
        let includesPosition = isStart ? !cursor.isAfter : cursor.isAfter
        let range = compare(first, isStart, orEqual: places.count > 1 || includesPosition)
        guard places.count > 1 else { return range }
        // The range repeats the condition in a form that an index can use.
        return SQLFragment.joined([range, beyond(places, isStart, includesPosition)], by: " AND ")
    }

    private typealias Place = (order: Order, value: Value)

    /// Compiles the condition without nesting, which SQLite limits: there may be 100 orders.
    private func beyond(_ places: [Place], _ isStart: Bool, _ includesPosition: Bool) -> SQLFragment {
        var cases = SQLFragment("CASE")
        for place in places {
            cases += SQLFragment(" WHEN ") + compare(place, isStart, orEqual: false) + SQLFragment(" THEN 1")
            cases += SQLFragment(" WHEN ") + compare(place, !isStart, orEqual: false) + SQLFragment(" THEN 0")
        }
        return cases + SQLFragment(" ELSE \(includesPosition ? 1 : 0) END")
    }

    private func compare(_ place: Place, _ isStart: Bool, orEqual: Bool) -> SQLFragment {
        let isUpwards = (place.order.direction == .ascending) == isStart
        return compare(place.order.field, (isUpwards ? ">" : "<") + (orEqual ? "=" : ""), place.value)
    }

    private func compare(_ field: FieldPath, _ operator: String, _ value: Value) -> SQLFragment {
        if field.isDocumentName { return compareName(`operator`, value) }
        guard let type = typedFields[field] else {
            return sortKey(field) + SQLFragment(" \(`operator`) ?", [value.sortKey])
        }
        guard type.rank == value.rank, let constant = value.sqlValue else {
            return Self.holds(type.rank, `operator`, value.rank) ? .always : .never
        }
        return expression(field) + SQLFragment(" \(`operator`) ?", [constant])
    }

    /// Returns `true` if the comparison holds between any values of the two types, which compare as the types do.
    private static func holds(_ left: Value.Rank, _ operator: String, _ right: Value.Rank) -> Bool {
        `operator`.hasPrefix(">") ? left > right : `operator`.hasPrefix("<") && left < right
    }

    /// Compares by id if the cursor names a document of the collection itself, so that the index by path can be used.
    private func compareName(_ operator: String, _ value: Value) -> SQLFragment {
        guard let path = try? value.documentPath(in: database) else { return .never }
        if nameColumn == "document", case .collection(path.collection) = query.scope {
            return SQLFragment("document \(`operator`) ?", [StoredName.encode(path.id)])
        }
        return SQLFragment("path \(`operator`) ?", [StoredName.encode(path.description)])
    }
}

extension Filter {
    /// The fields that have the same type in each matching document, with that type.
    var typedFields: [FieldPath: FieldIndex.ValueType] {
        var types: [FieldPath: FieldIndex.ValueType] = [:]
        for case .field(let field, let comparison, let operand) in conjuncts {
            if comparison.sqlOperator != nil, !field.isDocumentName { types[field] = field.type(of: operand) }
        }
        return types
    }
}
