import GRDB

/// Translates a query to SQL over `documents`.
///
/// Strings, timestamps and booleans compare as SQLite's own values (``SQL/typedValue(_:_:)``), which indexes can serve;
/// everything else, and orders that may mix types, by ``SortKey``.
struct QueryCompiler {
    let query: PlannedQuery
    let database: DatabaseID
    /// The database's number in its column.
    let number: Int64
    let indexes: [FieldIndex]
    /// Told of the documents that are left out.
    let unreadable: UnreadableDocuments
    /// The rows to read beyond the limit, in the place of so many that cannot be read.
    var surplus = 0

    /// The columns that ``documents(_:)`` reads.
    private var columns: String {
        let fields = query.projection?.isEmpty == true ? "'{}'" : "fields"
        return "parent, document, created_at, updated_at, \(fields)"
    }

    /// The whole statement.
    func select(_ columns: String) throws(StoreError) -> SQLFragment {
        let conditions =
            [scope, cursorCondition(query.start, isStart: true), cursorCondition(query.end, isStart: false)]
            .compactMap(\.self) + orderedFieldsExist
        let filter = try query.filter.map { filter throws(StoreError) in try compile(filter) }
        var statement = SQLFragment("SELECT \(columns) FROM documents WHERE ")
        statement += .joined(conditions + [filter].compactMap(\.self), by: " AND ")
        statement.sql += " ORDER BY "
        statement += order
        statement += limits
        return statement
    }

    /// As ``select(_:)``, of what ``documents(_:)`` needs.
    func selectDocuments() throws(StoreError) -> SQLFragment { try select(columns) }

    /// Every document in the query's scope, whatever is in it.
    func selectScope() -> SQLFragment {
        SQLFragment("SELECT parent, document, created_at, updated_at, fields FROM documents WHERE ") + scope
    }

    private var limits: SQLFragment {
        let limit = query.limit.map { Int64($0.addingReportingOverflow(surplus).partialValue) } ?? -1
        return SQLFragment(" LIMIT ? OFFSET ?", [limit, Int64(query.offset)])
    }

    private var order: SQLFragment {
        .joined(
            query.orders.map { order in
                expression(order.field) + SQLFragment(order.direction == .ascending ? "" : " DESC")
            }, by: ", ")
    }

    /// A document without a field is not in an order by it; a filter on the field's type leaves it out anyway.
    private var orderedFieldsExist: [SQLFragment] {
        query.orders.filter { !$0.field.isDocumentName && typedFields[$0.field] == nil }
            .map { expression($0.field) + SQLFragment(" IS NOT NULL") }
    }

    // MARK: Scope

    private var scope: SQLFragment {
        switch query.scope {
        case .collection(let collection):
            // The plus keeps SQLite, which has no statistics, from the index of paths.
            let parent = SQLFragment(
                "database = ? AND \(isByField ? "+" : "")parent = ?",
                [number, StoredName.encode(collection.description)])
            return hasIndexes(collection.id) ? parent + SQLFragment(" AND ") + inGroup(collection.id) : parent
        case .collectionGroup(let id, let ancestor):
            let database = SQLFragment("database = ? AND ", [number])
            guard let ancestor else { return database + inGroup(id) }
            // The plus keeps SQLite from reading the whole group; the range of paths is smaller.
            let group = SQLFragment(hasIndexes(id) ? " AND " : " AND +") + inGroup(id)
            return database + below(ancestor) + group
        }
    }

    /// A Boolean value indicating whether the index by a field has fewer of the query's rows than the one of paths: in a
    /// root collection, with one value of the field.
    var isByField: Bool {
        guard case .collection(let collection) = query.scope, collection.parent == nil else { return false }
        return query.filter?.hasEquality(on: indexedFields(collection.id)) == true
    }

    /// A partial index serves only a query that states the index's condition word for word.
    private func inGroup(_ id: String) -> SQLFragment {
        let name = StoredName.encode(id)
        return hasIndexes(id)
            ? SQLFragment("collection = \(SQL.quoted(name))") : SQLFragment("collection = ?", [name])
    }

    private func hasIndexes(_ id: String) -> Bool { indexes.contains { $0.collectionGroup == id } }

    private func indexedFields(_ id: String) -> Set<FieldPath> {
        Set(indexes.filter { $0.collectionGroup == id }.map(\.field))
    }

    /// The collections below a document, and below what is in them, have parents that begin with its path.
    private func below(_ document: DocumentPath) -> SQLFragment {
        let name = StoredName.encode(document.description)
        return SQLFragment(
            "parent > ? AND parent < ?", [name + StoredName.separator, name + StoredName.afterSeparator])
    }
}

extension Filter {
    /// Returns whether every result has one value in one of the fields.
    fileprivate func hasEquality(on fields: Set<FieldPath>) -> Bool {
        switch self {
        case .field(let field, .equal, _): fields.contains(field)
        case .and(let filters): filters.contains { $0.hasEquality(on: fields) }
        default: false
        }
    }
}
