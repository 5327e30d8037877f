import GRDB

/// Translates a query to SQL over `documents`.
///
/// Strings, timestamps and booleans compare as SQLite's own values: those of a declared index's column, or else of
/// ``SQL/typedValue(_:_:)``. Everything else, and orders that may mix types, compares by ``SortKey``.
struct QueryCompiler {
    let query: PlannedQuery
    let database: DatabaseID
    /// The database's number in its column.
    let number: Int64
    let slots: IndexSlots
    /// The columns that the query's collection group has.
    let groupSlots: [IndexSlot]
    /// The fields of which every match has one type, because a filter asks for it: SQLite can order by their values.
    let typedFields: [FieldPath: FieldIndex.ValueType]
    /// Told of the documents that are left out.
    let unreadable: UnreadableDocuments
    /// The rows to read beyond the limit, in the place of so many that cannot be read.
    var surplus = 0
    /// The ``StoredName`` of the query's collections.
    private let group: String

    init(
        _ query: PlannedQuery, in database: DatabaseID, number: Int64, slots: IndexSlots,
        unreadable: UnreadableDocuments
    ) {
        self.query = query
        self.database = database
        self.number = number
        self.slots = slots
        self.unreadable = unreadable
        group = StoredName.encode(query.scope.collectionID)
        groupSlots = slots.slots(ofGroup: group)
        typedFields = query.filter?.typedFields ?? [:]
    }

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

    private var limits: SQLFragment { SQLFragment(" LIMIT ? OFFSET ?", [limit, Int64(query.offset)]) }

    /// The number of rows to read; -1 for all.
    var limit: Int64 { query.limit.map { Int64($0.addingReportingOverflow(surplus).partialValue) } ?? -1 }

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
            // An index by a field has more than the collection, but for one at the root.
            guard collection.parent == nil, isIndexed else { return parent }
            return parent + SQLFragment(" AND ") + inGroup
        case .collectionGroup(_, let ancestor):
            let database = SQLFragment("database = ? AND ", [number])
            guard let ancestor else { return database + inGroup }
            // The plus keeps SQLite from reading the whole group; the range of paths is smaller.
            return database + below(ancestor) + SQLFragment(isIndexed ? " AND " : " AND +") + inGroup
        }
    }

    private var inGroup: SQLFragment { SQLFragment("collection = ?", [group]) }

    /// A Boolean value indicating whether an index by a field has the query's rows.
    private var isIndexed: Bool { query.filter?.hasComparison { column($0, $1) != nil } == true }

    /// A Boolean value indicating whether the index by a field has fewer of the query's rows than the one of paths: in a
    /// root collection, with one value of the field.
    var isByField: Bool {
        guard case .collection(let collection) = query.scope, collection.parent == nil else { return false }
        return query.filter?.hasComparison(.equal) { column($0, $1) != nil } == true
    }

    /// Returns the column that has a field's values of a type in the query's collections; `nil` if none has.
    func column(_ field: FieldPath, _ type: FieldIndex.ValueType) -> String? {
        groupSlots.first { $0.index.type == type && $0.index.field == field }?.column
    }

    /// The collections below a document, and below what is in them, have parents that begin with its path.
    private func below(_ document: DocumentPath) -> SQLFragment {
        let name = StoredName.encode(document.description)
        return SQLFragment(
            "parent > ? AND parent < ?", [name + StoredName.separator, name + StoredName.afterSeparator])
    }
}

extension Filter {
    /// Returns whether every result fulfils a comparison of a field with a value of a type.
    ///
    /// - Parameter comparison: the one that counts, or `nil` for any that an index can serve.
    fileprivate func hasComparison(
        _ wanted: Comparison? = nil, where condition: (FieldPath, FieldIndex.ValueType) -> Bool
    ) -> Bool {
        switch self {
        case .field(let field, let comparison, let operand):
            guard comparison.sqlOperator != nil, wanted == nil || wanted == comparison else { return false }
            return FieldIndex.ValueType(of: operand).map { condition(field, $0) } ?? false
        case .and(let filters): return filters.contains { $0.hasComparison(wanted, where: condition) }
        case .or: return false
        }
    }
}

extension Query.Scope {
    fileprivate var collectionID: String {
        switch self {
        case .collection(let collection): collection.id
        case .collectionGroup(let id, _): id
        }
    }
}
