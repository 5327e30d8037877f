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
    private func statement(_ body: (inout StatementText, _ ofDatabase: String) -> Void) -> Call {
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
    private var table: String { time == nil ? "documents" : "past" }

    /// The beginning of a definition of another table in the statement.
    var nextTable: String { time == nil ? "WITH RECURSIVE" : "," }

    // MARK: Statements

    /// Returns the statement for documents by their paths.
    func documents(at keys: [RowKey]) -> Call {
        statement { statement, ofDatabase in
            let parents = statement.place(keys.map { $0.withColumns { parent, _, _ in Array(parent) } })
            let ids = statement.place(keys.map { $0.withColumns { _, _, id in Array(id) } })
            statement.sql += """
                 SELECT \(Self.columns) FROM \(table) WHERE \(ofDatabase) \
                AND (parent, document) IN (SELECT * FROM unnest(\(parents), \(ids)))
                """
        }
    }

    /// Returns the statement for the ids that follow a path in the paths of all collections, in order: those of the
    /// collections below a document, or of a collection's documents that have documents below them. It jumps from one to
    /// the next, independent of the number of documents.
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
            if let limit { statement.sql += " LIMIT \(statement.place(Int64(limit)))" }
        }
    }

    /// Returns the statement for the documents in the scope of a query, in the order of their names.
    ///
    /// - Parameter appliesLimit: `true` to apply the query's limit and offset, which needs a query that is by name.
    func documents(in query: PlannedQuery, appliesLimit: Bool) -> Call {
        statement { statement, ofDatabase in
            var conditions = [ofDatabase]
            switch query.scope {
            case .collection(let collection):
                conditions.append("parent = \(statement.place(StoredName.encode(collection.description)))")
            case .collectionGroup(let id, let ancestor):
                conditions.append("collection = \(statement.place(StoredName.encode(id)))")
                conditions += Self.conditions(below: ancestor, &statement)
            case .children(let document), .descendants(let document):
                conditions += Self.conditions(below: document, &statement)
            }
            for (cursor, isStart) in [(query.start, true), (query.end, false)] where query.orders.count == 1 {
                guard let cursor, let name = cursor.values.first?.name(in: database) else { continue }
                let isAfter = (query.orders[0].direction == .ascending) == isStart
                let isIncluded = isStart ? !cursor.isAfter : cursor.isAfter
                let comparison = (isAfter ? ">" : "<") + (isIncluded ? "=" : "")
                conditions.append("\(Self.path(&statement)) \(comparison) \(statement.place(name))")
            }
            let isDescending = query.orders.last?.direction == .descending
            var order = ["parent", "document"]
            if case .collection = query.scope {} else { order = [Self.path(&statement)] }
            statement.sql += """
                 SELECT \(Self.columns) FROM \(table) WHERE \(conditions.joined(separator: " AND ")) \
                ORDER BY \(order.map { $0 + (isDescending ? " DESC" : "") }.joined(separator: ", "))
                """
            guard appliesLimit else { return }
            if let limit = query.limit { statement.sql += " LIMIT \(statement.place(Int64(limit)))" }
            if query.offset > 0 { statement.sql += " OFFSET \(statement.place(Int64(query.offset)))" }
        }
    }

    private static func path(_ statement: inout StatementText) -> String {
        "(parent || \(statement.place(StoredName.separator)) || document) COLLATE \"C\""
    }

    private static func conditions(below document: DocumentPath?, _ statement: inout StatementText) -> [String] {
        guard let name = document.map({ StoredName.encode($0.description) }) else { return [] }
        return [
            "parent >= \(statement.place(name + StoredName.separator))",
            "parent < \(statement.place(name + StoredName.afterSeparator))",
        ]
    }
}

extension PlannedQuery {
    /// `true` if the statement of ``StateSource/documents(in:appliesLimit:)`` has the result of the query itself.
    var isByName: Bool {
        guard filter == nil, orders.count == 1, required.isEmpty else { return false }
        // The collections directly below a document are among those at any depth.
        if case .children = scope { return false }
        return true
    }
}

extension Value {
    /// Returns a document's name as a ``StoredName``; `nil` if the value is no name in the database.
    fileprivate func name(in database: DatabaseID) -> String? {
        (try? documentPath(in: database)).map { StoredName.encode($0.description) }
    }
}
