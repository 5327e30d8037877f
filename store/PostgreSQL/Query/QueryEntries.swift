import DocumentStore

/// The entries that a query can use: those of its collection's automatic indexes, or of the indexes over its collection
/// group that the gateway declares.
struct QueryEntries {
    /// The value of the column `scope`.
    let scope: String
    /// The collection's path as a ``StoredName``, if the entries are those of a group.
    let collection: String?
    /// The document below which a group's collections are.
    let ancestor: DocumentPath?
    /// The fields that have an index; `nil` for all, and for the elements in their arrays.
    let fields: [FieldPath]?

    /// Returns `nil` if there are none, as for an earlier state.
    init?(of query: PlannedQuery, isIndexed: Bool, declared: [FieldIndex]) {
        let id: String
        switch query.scope {
        case .collection(let path) where isIndexed:
            scope = StoredName.encode(path.description)
            (collection, ancestor, fields) = (nil, nil, nil)
            return
        case .collection(let path):
            id = path.id
            (collection, ancestor) = (StoredName.encode(path.description), nil)
        case .collectionGroup(let group, let document):
            id = group
            (collection, ancestor) = (nil, document)
        case .children, .descendants: return nil
        }
        let column = ColumnLimits.shortened(Array(StoredName.encode(id).utf8))
        let indexed = declared.filter { $0.collectionColumn == column }.map(\.field)
        guard !indexed.isEmpty else { return nil }
        scope = String(decoding: IndexScope.group(column), as: UTF8.self)
        fields = indexed
    }

    /// Returns `true` if a field, or the elements in its arrays, have an index.
    func have(_ field: FieldPath, elements: Bool) -> Bool { fields.map { !elements && $0.contains(field) } ?? true }

    /// Returns the index and the only key that all documents of the query have in it; `nil` if the query needs more
    /// conditions, or another plan.
    func onlyKey(of query: PlannedQuery) -> (index: [UInt8], key: [UInt8])? {
        guard fields != nil, collection == nil, ancestor == nil, query.limit == nil,
            case .candidates(let candidates)? = query.entryPlan(where: have, hasFew: { _ in true }),
            candidates.conditions.count == 1, let condition = candidates.conditions.first,
            case .oneOf(let keys) = condition.keys, keys.count == 1, let key = keys.first
        else { return nil }
        return (ColumnLimits.shortened(Array(condition.index.utf8)), IndexEntry.shortened(key))
    }

    /// The expression for the path of an entry's collection.
    private func parent(_ statement: inout StatementText) -> String {
        fields == nil ? statement.place(scope) : "parent"
    }

    /// Returns the condition for the entries of an index.
    private func condition(
        _ index: String, _ keys: [EntryKeys], _ ofDatabase: String, _ statement: inout StatementText
    ) -> String {
        var conditions = [
            ofDatabase, "scope = \(statement.place(scope))",
            "field = \(statement.place(ColumnLimits.shortened(index)))",
        ]
        conditions += keys.map { $0.condition(&statement) }
        if let collection { conditions.append("parent = \(statement.place(collection))") }
        conditions += StateSource.conditions(below: ancestor, &statement)
        return conditions.joined(separator: " AND ")
    }

    private func select(_ candidates: EntryCandidates, _ ofDatabase: String, _ statement: inout StatementText) -> String
    {
        candidates.conditions.map { part in
            let condition = condition(part.index, [part.keys], ofDatabase, &statement)
            return "SELECT \(parent(&statement)) AS parent, document FROM entries WHERE \(condition)"
        }.joined(separator: " UNION ALL ")
    }
}

/// The place of an entry among those of its index.
struct EntryPosition {
    let key: [UInt8]
    let parent: [UInt8]
    let document: [UInt8]
}

/// Statements that use entries, which are those of the present state.
extension QueryEntries {
    /// Returns the statement for the number of candidates, which counts at most one more than are few.
    func count(_ candidates: EntryCandidates, in source: StateSource) -> Call {
        source.statement { statement, ofDatabase in
            let entries = select(candidates, ofDatabase, &statement)
            statement.sql +=
                "SELECT count(*) FROM (SELECT FROM (\(entries)) AS found LIMIT \(EntryCandidates.few + 1)) AS few"
        }
    }

    /// Returns the statement for the documents that are candidates, in no order.
    func documents(_ candidates: EntryCandidates, in source: StateSource) -> Call {
        source.statement { statement, ofDatabase in
            statement.sql += """
                SELECT \(StateSource.columns) FROM documents WHERE \(ofDatabase) \
                AND (parent, document) IN (\(select(candidates, ofDatabase, &statement)))
                """
        }
    }

    /// Returns the statement for documents in the order of their entries in an index. Its last column is the key.
    ///
    /// - Parameter last: the entry after which they begin; `nil` for the first.
    func documents(
        orderedBy index: String, _ keys: [EntryKeys], _ direction: Order.Direction, after last: EntryPosition?,
        limit: Int, in source: StateSource
    ) -> Call {
        source.statement { statement, ofDatabase in
            let (comparison, suffix) = direction == .ascending ? (">", "") : ("<", " DESC")
            var condition = condition(index, keys, ofDatabase, &statement)
            if let last {
                let place = [
                    statement.place(blob: last.key), statement.place(bytes: last.parent),
                    statement.place(bytes: last.document),
                ].joined(separator: ", ")
                condition += " AND (key, parent, document) \(comparison) (\(place))"
            }
            let parent = fields == nil ? statement.place(scope) : "found.parent"
            let order = ["key", "parent", "document"].map { "found.\($0)\(suffix)" }.joined(separator: ", ")
            // The entries alone are sorted and counted, whatever the plan for the documents.
            statement.sql += """
                SELECT documents.parent, documents.document, fields, created_at, updated_at, found.key FROM (\
                SELECT key, parent, document FROM entries WHERE \(condition) \
                ORDER BY key\(suffix), parent\(suffix), document\(suffix) \(StateSource.limit(limit).dropFirst())) AS found \
                JOIN documents ON \(ofDatabase) AND documents.parent = \(parent) \
                AND documents.document = found.document ORDER BY \(order)
                """
        }
    }
}

extension EntryKeys {
    fileprivate func condition(_ statement: inout StatementText) -> String {
        func place(_ key: [UInt8]) -> String { statement.place(blob: IndexEntry.shortened(key)) }
        switch self {
        case .oneOf(let keys): return "key = ANY(\(statement.place(blobs: keys.map(IndexEntry.shortened))))"
        case .between(let lower, let upper): return "key BETWEEN \(place(lower)) AND \(place(upper))"
        case .from(let key): return "key >= \(place(key))"
        case .upTo(let key): return "key <= \(place(key))"
        }
    }
}
