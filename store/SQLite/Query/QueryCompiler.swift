import GRDB

/// A translator of a query to SQL over `documents`.
///
/// Strings, timestamps and Booleans compare as SQLite's own values: those of a declared index's column, or of
/// ``SQL/typedValue(_:_:)``. All other values, and orders that may mix types, compare by ``SortKey``.
struct QueryCompiler {
    let query: PlannedQuery
    let database: DatabaseID
    /// The database's number in its column.
    let number: Int64
    /// The time of the state; `nil` for the present one.
    let time: Timestamp?
    /// The value columns, which an earlier state does not have.
    let slots: IndexSlots
    /// `true` if the database has automatic indexes, which an earlier state does not have.
    let hasEntries: Bool
    /// The value columns of the query's collection group.
    let groupSlots: [IndexSlot]
    /// The fields that have one type in each match because a filter requires it. SQLite can order by their values.
    /// Those with a column for all types are not among them.
    let typedFields: [FieldPath: FieldIndex.ValueType]
    /// The reporter of documents that are left out.
    let unreadable: UnreadableDocuments
    /// The number of rows to read beyond the limit, as replacements for rows that cannot be read.
    var surplus = 0
    /// The id of the query's collections as a ``StoredName``; empty for collections of any id.
    private let group: String

    init(
        _ query: PlannedQuery, in database: DatabaseID, number: Int64, at time: Timestamp? = nil, slots: IndexSlots,
        hasEntries: Bool, unreadable: UnreadableDocuments
    ) {
        let slots = time == nil ? slots : .none
        self.query = query
        self.database = database
        self.number = number
        self.time = time
        self.slots = slots
        self.hasEntries = hasEntries && time == nil
        self.unreadable = unreadable
        group = StoredName.encode(query.scope.collectionID ?? "")
        let groupSlots = slots.slots(ofGroup: group)
        self.groupSlots = groupSlots
        typedFields = (query.filter?.typedFields ?? [:])
            .filter { groupSlots.column($0, nil) == nil || groupSlots.column($0, $1) != nil }
    }

    /// The columns that ``documents(_:)`` reads.
    private var columns: String {
        let fields = query.requestsNames ? "'{}'" : "fields"
        return "parent, document, created_at, updated_at, \(fields)"
    }

    /// Returns the whole statement for some columns.
    ///
    /// - Parameter isOrdered: `false` if the order of the rows has no effect.
    func select(_ columns: String, isOrdered: Bool = true, _ db: Database) throws -> SQLFragment {
        let entries = try entryScan(db)
        let conditions =
            [
                entries?.condition ?? scope, cursorCondition(query.start, isStart: true),
                cursorCondition(query.end, isStart: false),
            ].compactMap(\.self) + neededFieldsExist
        let filter = try query.filter.map { filter throws(StoreError) in try compile(filter) }
        var statement = source + SQLFragment("SELECT \(columns) FROM \(entries?.tables ?? "documents") WHERE ")
        statement += .joined(conditions + [filter].compactMap(\.self), by: " AND ")
        if isOrdered { statement += SQLFragment(" ORDER BY ") + order(of: entries) }
        statement += limits
        return statement
    }

    /// Returns the statement of ``select(_:isOrdered:_:)`` for the columns that ``documents(_:)`` reads.
    func selectDocuments(isOrdered: Bool = true, _ db: Database) throws -> SQLFragment {
        try select(columns, isOrdered: isOrdered, db)
    }

    /// `true` if the query returns all matching documents, so that their order does not decide which.
    var isWhole: Bool { query.limit == nil && query.offset == 0 }

    /// Returns a compiler for the rows of the query after some of them.
    ///
    /// - Parameters:
    ///   - rows: the number of the query's rows to skip.
    ///   - limit: the number of rows to read.
    func continued(after rows: Int, limit: Int) -> QueryCompiler {
        var query = query
        query.offset += rows
        query.limit = limit
        return QueryCompiler(
            query, in: database, number: number, at: time, slots: slots, hasEntries: hasEntries,
            unreadable: unreadable)
    }

    /// Returns a statement for all documents in the query's scope, without its filter.
    func selectScope() -> SQLFragment {
        source + SQLFragment("SELECT parent, document, created_at, updated_at, fields FROM documents WHERE ") + scope
    }

    /// The beginning of a statement about an earlier state; empty for the present state.
    private var source: SQLFragment {
        guard let time = time?.microseconds else { return SQLFragment("") }
        return SQLFragment(SQL.documentsAtTime, [number, time, number, time, time])
    }

    private var limits: SQLFragment { SQLFragment(" LIMIT ? OFFSET ?", [limit, Int64(query.offset)]) }

    /// The number of rows to read; -1 for all.
    var limit: Int64 { query.limit.map { Int64($0.addingReportingOverflow(surplus).partialValue) } ?? -1 }

    private func order(of entries: EntryScan?) -> SQLFragment {
        .joined(
            query.orders.enumerated().flatMap { position, order in
                let direction = SQLFragment(order.direction == .ascending ? "" : " DESC")
                let value = expression(order.field)
                return (entries?.order(by: value, isFirst: position == 0) ?? [value]).map { $0 + direction }
            }, by: ", ")
    }

    /// Conditions that leave out documents without an ordered or required field. A filter on the field's type has the
    /// same effect.
    private var neededFieldsExist: [SQLFragment] {
        let ordered = query.orders.map(\.field)
        return (ordered + query.required.filter { !ordered.contains($0) })
            .filter { !$0.isDocumentName && typedFields[$0] == nil }
            .map { expression($0) + SQLFragment(" IS NOT NULL") }
    }

    // MARK: Scope

    private var scope: SQLFragment {
        switch query.scope {
        case .collection(let collection):
            // The plus prevents SQLite, which has no statistics, from using the index of paths.
            let parent = SQLFragment(
                "database = ? AND \(isByField ? "+" : "")parent = ?",
                [number, StoredName.encode(collection.description)])
            // An index by a field also contains other collections of the group, unless the collection is at the root.
            guard collection.parent == nil, isIndexed else { return parent }
            return parent + SQLFragment(" AND ") + inGroup
        case .collectionGroup(_, let ancestor):
            let database = SQLFragment("database = ? AND ", [number])
            guard let ancestor else { return database + inGroup }
            // The plus prevents SQLite from reading the whole group; the range of paths is smaller.
            return database + below(ancestor) + SQLFragment(isIndexed ? " AND " : " AND +") + inGroup
        case .descendants(let ancestor): return anywhere(below: ancestor)
        case .children(let parent):
            // The rest of a collection's path after its parent's has no separator.
            let start = parent.map { StoredName.encode($0.description).unicodeScalars.count + 3 } ?? 1
            return anywhere(below: parent)
                + SQLFragment(" AND instr(substr(parent, ?), char(1, 1)) = 0", [Int64(start)])
        }
    }

    /// Compiles the condition for all documents below a document, or of the database.
    private func anywhere(below document: DocumentPath?) -> SQLFragment {
        let database = SQLFragment("database = ?", [number])
        return document.map { database + SQLFragment(" AND ") + below($0) } ?? database
    }

    private var inGroup: SQLFragment { SQLFragment("collection = ?", [group]) }

    /// `true` if a declared index by a field contains the query's rows.
    var isIndexed: Bool { query.filter?.hasComparison(where: isIndexed) == true || isInOrder }

    /// `true` if the index by a field has fewer rows to read for the query than the index of paths: in a root
    /// collection, with one value of the field, or for the first rows in the field's order.
    var isByField: Bool {
        guard case .collection(let collection) = query.scope, collection.parent == nil else { return false }
        return query.filter?.hasComparison(.equal, where: isIndexed) == true || isInOrder && query.limit != nil
    }

    /// `true` if an index has the order of the query's first field.
    private var isInOrder: Bool { query.orders.first.map { groupSlots.column($0.field, nil) != nil } == true }

    /// Returns `true` if an index can compare the field with the value.
    private func isIndexed(_ field: FieldPath, _ operand: Value) -> Bool {
        if groupSlots.column(field, nil) != nil { return true }
        return FieldIndex.ValueType(of: operand).map { groupSlots.column(field, $0) != nil } == true
    }

    /// Compiles the condition that the parent's path begins with the document's path.
    private func below(_ document: DocumentPath) -> SQLFragment {
        let name = StoredName.encode(document.description)
        return SQLFragment(
            "parent > ? AND parent < ?", [name + StoredName.separator, name + StoredName.afterSeparator])
    }
}

extension Filter {
    /// Returns `true` if each match fulfills a comparison of a field with a value.
    ///
    /// - Parameter wanted: the comparison, or `nil` for any that an index can serve.
    fileprivate func hasComparison(
        _ wanted: Comparison? = nil, where condition: (FieldPath, Value) -> Bool
    ) -> Bool {
        switch self {
        case .field(let field, let comparison, let operand):
            guard comparison.sqlOperator != nil, wanted == nil || wanted == comparison else { return false }
            return condition(field, operand)
        case .and(let filters): return filters.contains { $0.hasComparison(wanted, where: condition) }
        case .or, .unary: return false
        }
    }
}

extension Query.Scope {
    /// The id of the collections; `nil` for any.
    fileprivate var collectionID: String? {
        switch self {
        case .collection(let collection): collection.id
        case .collectionGroup(let id, _): id
        case .children, .descendants: nil
        }
    }
}
