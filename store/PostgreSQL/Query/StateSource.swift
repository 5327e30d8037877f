import DocumentStore

/// The documents of a database at one time.
struct StateSource {
    let database: DatabaseID
    /// The time of the state; `nil` for the present one.
    let time: Timestamp?

    /// The columns that ``Rows/documents()`` reads.
    static let columns = "parent, document, fields, created_at, updated_at"

    /// Returns a statement, beginning with the definition of ``table`` if the state is an earlier one.
    ///
    /// - Parameter body: writes the rest. Its second argument is the condition for documents of the database.
    func statement(_ body: (inout StatementText, _ ofDatabase: String) -> Void) -> Call {
        var statement = StatementText()
        let names =
            "WHERE project = \(statement.place(database.project)) AND database = \(statement.place(database.database))"
        let ofDatabase = "of_database = (SELECT number FROM databases \(names))"
        if let time {
            let time = statement.place(time.microseconds)
            statement.sql = """
                WITH RECURSIVE past AS (\
                SELECT of_database, collection, \(Self.columns) FROM documents WHERE \(ofDatabase) AND updated_at <= \(time) \
                UNION ALL SELECT of_database, collection, \(Self.columns) FROM changes WHERE \(ofDatabase) \
                AND updated_at <= \(time) AND changed_at > \(time))
                """
        }
        body(&statement, ofDatabase)
        return statement.call
    }

    /// The table of the documents.
    var table: String { time == nil ? "documents" : "past" }

    /// The beginning of a definition of another table in the statement.
    var nextTable: String { time == nil ? "WITH RECURSIVE" : "," }

    // MARK: Statements

    /// Returns the statement for documents by their paths.
    func documents(at keys: [RowKey]) -> Call {
        statement { statement, ofDatabase in statement.sql += select(keys, ofDatabase, &statement) }
    }

    /// Returns the statement for documents by their paths, and for those in the scope of a query, as of one moment. The
    /// last column is `true` for those of the query.
    ///
    /// - Parameter limit: the greatest number of documents of the query; `nil` for all.
    func documents(at keys: [RowKey], in query: PlannedQuery, limit: Int?) -> Call {
        statement { statement, ofDatabase in
            let named = select(keys, adding: ", false", ofDatabase, &statement)
            let found = select(query, after: nil, limit: limit, adding: ", true", ofDatabase, &statement)
            statement.sql += "\(named) UNION ALL (\(found))"
        }
    }

    private func select(
        _ keys: [RowKey], adding more: String = "", _ ofDatabase: String, _ statement: inout StatementText
    ) -> String {
        let columns = keys.map(\.columns)
        let (parents, ids) = (statement.place(columns.map(\.parent)), statement.place(columns.map(\.document)))
        return """
             SELECT \(Self.columns)\(more) FROM unnest(\(parents), \(ids)) AS named (of_parent, of_document) \
            JOIN \(table) ON \(ofDatabase) AND parent = of_parent AND document = of_document
            """
    }

    /// Returns the statement for the ids that follow a path in the paths of all collections, in order: those of the
    /// collections below a document, or of a collection's documents that have documents below them. It jumps from one
    /// to the next, independent of the number of documents.
    ///
    /// - Parameters:
    ///   - path: the path as a ``StoredName``; empty for the root.
    ///   - last: the id, as a ``StoredName``, after which the ids begin; `nil` for the first.
    ///   - limit: the greatest number of ids; `nil` for all.
    func ids(below path: String, after last: String? = nil, limit: Int? = nil) -> Call {
        let prefix = path.isEmpty ? "" : path + StoredName.separator
        return statement { statement, ofDatabase in
            let start = statement.place(prefix + (last.map { $0 + StoredName.afterSeparator } ?? ""))
            let end = path.isEmpty ? nil : statement.place(path + StoredName.afterSeparator)
            let prefixPlace = statement.place(prefix)
            let separator = statement.place(StoredName.separator)
            let after = statement.place(StoredName.afterSeparator)
            func next(from position: String) -> String {
                """
                SELECT split_part(substr(parent, length(\(prefixPlace)) + 1), \(separator), 1) FROM \(table) \
                WHERE \(ofDatabase) AND parent >= \(position)\(end.map { " AND parent < \($0)" } ?? "") \
                ORDER BY parent LIMIT 1
                """
            }
            statement.sql += """
                \(nextTable) ids (id) AS ((\(next(from: start))) UNION ALL \
                SELECT (\(next(from: "\(prefixPlace) || ids.id || \(after)"))) FROM ids WHERE ids.id IS NOT NULL) \
                SELECT id FROM ids WHERE id IS NOT NULL
                """
            statement.sql += Self.limit(limit)
        }
    }

    /// Returns the statement for the documents in the scope of a query, in the order of their names.
    ///
    /// - Parameters:
    ///   - last: the document after which they begin; `nil` for the first.
    ///   - limit: the greatest number of documents; `nil` for all.
    func documents(in query: PlannedQuery, after last: DocumentPath? = nil, limit: Int? = nil) -> Call {
        statement { statement, ofDatabase in
            statement.sql += select(query, after: last, limit: limit, ofDatabase, &statement)
        }
    }

    private func select(
        _ query: PlannedQuery, after last: DocumentPath?, limit: Int?, adding more: String = "", _ ofDatabase: String,
        _ statement: inout StatementText
    ) -> String {
        let isDescending = query.orders.last?.direction == .descending
        var conditions = [ofDatabase] + Self.conditions(in: query.scope, &statement)
        if let last {
            conditions.append(Self.compare(isDescending ? "<" : ">", last, in: query.scope, &statement))
        }
        for (cursor, isStart) in [(query.start, true), (query.end, false)] where query.orders.count == 1 {
            guard let cursor, let path = try? cursor.values.first?.documentPath(in: database) else { continue }
            let isAfter = (query.orders[0].direction == .ascending) == isStart
            let isIncluded = isStart ? !cursor.isAfter : cursor.isAfter
            let comparison = (isAfter ? ">" : "<") + (isIncluded ? "=" : "")
            conditions.append(Self.compare(comparison, path, in: query.scope, &statement))
        }
        var order = ["parent", "document"]
        if case .collection = query.scope {} else { order = [Self.path(&statement)] }
        return """
             SELECT \(Self.columns)\(more) FROM \(table) WHERE \(conditions.joined(separator: " AND ")) \
            ORDER BY \(order.map { $0 + (isDescending ? " DESC" : "") }.joined(separator: ", "))\(Self.limit(limit))
            """
    }

    /// Returns the clause for a greatest number of rows. It is a part of the text, as the best plan depends on it.
    static func limit(_ count: Int?) -> String { count.map { " LIMIT \($0)" } ?? "" }

    /// Returns the condition that compares the names of a scope's documents with a path.
    private static func compare(
        _ comparison: String, _ path: DocumentPath, in scope: Query.Scope, _ statement: inout StatementText
    ) -> String {
        // In its own collection the primary key has the order, so that a page does not read those before it.
        if case .collection(path.collection) = scope {
            return "document \(comparison) \(statement.place(StoredName.encode(path.id)))"
        }
        return "\(Self.path(&statement)) \(comparison) \(statement.place(StoredName.encode(path.description)))"
    }

    private static func path(_ statement: inout StatementText) -> String {
        "(parent || \(statement.place(StoredName.separator)) || document) COLLATE \"C\""
    }

    private static func conditions(in scope: Query.Scope, _ statement: inout StatementText) -> [String] {
        switch scope {
        case .collection(let collection):
            return ["parent = \(statement.place(StoredName.encode(collection.description)))"]
        case .collectionGroup(let id, let ancestor):
            let group = statement.place(ColumnLimits.shortened(StoredName.encode(id)))
            return ["collection = \(group)"] + conditions(below: ancestor, &statement)
        case .children(let document), .descendants(let document): return conditions(below: document, &statement)
        }
    }

    static func conditions(below document: DocumentPath?, _ statement: inout StatementText) -> [String] {
        guard let name = document.map({ StoredName.encode($0.description) }) else { return [] }
        return [
            "parent >= \(statement.place(name + StoredName.separator))",
            "parent < \(statement.place(name + StoredName.afterSeparator))",
        ]
    }
}
