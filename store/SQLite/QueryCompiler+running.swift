import GRDB

extension QueryCompiler {
    func documents(_ db: Database) throws -> [Document] {
        let statement = RawStatement(try prepare(selectDocuments(), db), db)
        defer { statement.reset() }
        var rows = DocumentRows(statement)
        var documents: [Document] = []
        while let document = try rows.next() { documents.append(projected(document)) }
        return documents
    }

    func aggregate(_ aggregations: [Aggregation], _ db: Database) throws -> [Value] {
        guard aggregations.allSatisfy({ $0 == .count }) else {
            let documents = try documents(db)
            return aggregations.map { $0.evaluate(over: documents, in: database) }
        }
        let count = try count(db)
        return aggregations.map { _ in .integer(count) }
    }

    private func count(_ db: Database) throws -> Int64 {
        let select = try select("1")
        let statement = try prepare(SQLFragment("SELECT count(*) FROM (\(select.sql))", select.arguments), db)
        return try Int64.fetchOne(statement) ?? 0
    }

    /// A statement is kept for its connection when its text comes from the code alone; field names of clients could
    /// fill the memory with statements.
    private func prepare(_ fragment: SQLFragment, _ db: Database) throws -> Statement {
        let statement =
            try namesDeclaredFieldsOnly
            ? db.cachedStatement(sql: fragment.sql) : db.makeStatement(sql: fragment.sql)
        try statement.setArguments(StatementArguments(fragment.arguments))
        return statement
    }

    private var namesDeclaredFieldsOnly: Bool {
        let declared = Set(indexes.map(\.field) + [.documentName])
        return query.filter == nil && query.start == nil && query.end == nil && query.orders.count == 1
            || query.orders.allSatisfy { declared.contains($0.field) } && query.filter?.isPlain(over: declared) ?? true
    }

    private func projected(_ document: Document) -> Document {
        guard let projection = query.projection else { return document }
        return Document(
            path: document.path, fields: document.fields.projected(to: projection), createTime: document.createTime,
            updateTime: document.updateTime)
    }
}

extension Filter {
    /// Whether the filter is one condition or two on the fields, with a constant each.
    fileprivate func isPlain(over fields: Set<FieldPath>) -> Bool {
        switch self {
        case .field(let field, let comparison, _): fields.contains(field) && comparison.sqlOperator != nil
        case .and(let filters): filters.count <= 2 && filters.allSatisfy { $0.isPlain(over: fields) }
        default: false
        }
    }
}
