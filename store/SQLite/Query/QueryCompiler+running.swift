import GRDB

extension QueryCompiler {
    /// Reads the matching documents. Documents that cannot be read are left out and reported; further documents
    /// replace them, up to the query's limit.
    func documents(_ db: Database) throws -> [Document] {
        try inMemoryIfUnreadable(db) {
            var compiler = self
            while true {
                let (documents, unreadable) = try compiler.rows(db)
                // The unreadable rows may have used up the limit, so the loop reads that many more.
                guard let limit = query.limit, documents.count < limit, unreadable.count > compiler.surplus else {
                    for (path, error) in unreadable { self.unreadable.report(path, because: "\(error)") }
                    return query.limit.map { Array(documents.prefix($0)) } ?? documents
                }
                compiler.surplus = unreadable.count
            }
        } over: {
            $0
        }
    }

    private func rows(_ db: Database) throws -> (documents: [Document], unreadable: [(DocumentPath, StoreError)]) {
        if time == nil, let collection = query.listedCollection {
            let statement = try RawStatement(SQL.selectCollection, db)
            statement.bind(number, at: 1)
            statement.bind(limit, at: 3)
            return try statement.with(StoredName.encode(collection.description), at: 2) { try rows(of: statement) }
        }
        return try rows(of: RawStatement(try prepare(selectDocuments(db), db), db))
    }

    private func rows(
        of statement: RawStatement
    ) throws -> (documents: [Document], unreadable: [(DocumentPath, StoreError)]) {
        defer { statement.reset() }
        var rows = DocumentRows(statement)
        var unreadable: [(DocumentPath, StoreError)] = []
        let documents = try rows.documents(query.projected) { unreadable.append(($0, $1)) }
        return (documents, unreadable)
    }

    /// Computes the aggregations' values over the matching documents, which are not collected.
    func aggregate(_ aggregations: [Aggregation], _ db: Database) throws -> [Value] {
        try inMemoryIfUnreadable(db) {
            if aggregations.allSatisfy({ $0.field == nil }) {
                return AggregationTally(aggregations, count: try count(db)).values
            }
            return try tally(aggregations, db).values
        } over: { documents in
            var tally = AggregationTally(aggregations)
            for document in documents { tally.add(document) }
            return tally.values
        }
    }

    private func tally(_ aggregations: [Aggregation], _ db: Database) throws -> AggregationTally {
        var tally = AggregationTally(aggregations)
        guard query.limit == nil else {
            for document in try documents(db) { tally.add(document) }
            return tally
        }
        let statement = RawStatement(try prepare(selectDocuments(isOrdered: !isWhole, db), db), db)
        defer { statement.reset() }
        var rows = DocumentRows(statement)
        while let row = try rows.next() {
            switch row {
            case .document(let document): tally.add(document)
            case .unreadable(let path, let error): unreadable.report(path, because: "\(error)")
            }
        }
        return tally
    }

    /// Runs a statement. SQLite's functions and the store's own fail on fields that cannot be read. In that case,
    /// evaluates the query in memory over the documents that can be read.
    private func inMemoryIfUnreadable<Answer>(
        _ db: Database, _ run: () throws -> Answer, over inMemory: ([Document]) -> Answer
    ) throws -> Answer {
        do {
            return try run()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            guard let documents = try evaluated(db) else { throw error }
            return inMemory(documents)
        }
    }

    /// Evaluates the query in memory. Returns `nil` if each document can be read, which means that the failure had
    /// another cause.
    func evaluated(_ db: Database) throws -> [Document]? {
        let statement = RawStatement(try prepare(selectScope(), db), db)
        defer { statement.reset() }
        var rows = DocumentRows(statement)
        var isReadable = true
        let documents = try rows.documents { path, error in
            isReadable = false
            unreadable.report(path, because: "\(error)")
        }
        return isReadable ? nil : query.evaluate(over: documents, in: database)
    }

    private func count(_ db: Database) throws -> Int64 {
        let select = try select("1", isOrdered: !isWhole, db)
        let statement = try prepare(SQLFragment("SELECT count(*) FROM (\(select.sql))", select.arguments), db)
        return try Int64.fetchOne(statement) ?? 0
    }

    /// Prepares a statement. A connection keeps it only if its text comes from the code alone; statements with field
    /// names from clients could fill the memory.
    func prepare(_ fragment: SQLFragment, _ db: Database) throws -> Statement {
        let statement =
            try namesDeclaredFieldsOnly
            ? db.cachedStatement(sql: fragment.sql) : db.makeStatement(sql: fragment.sql)
        try statement.setArguments(StatementArguments(fragment.arguments))
        return statement
    }

    private var namesDeclaredFieldsOnly: Bool {
        if query.filter == nil, query.start == nil, query.end == nil, query.orders.count == 1 { return true }
        return query.orders.allSatisfy { slots.fields.contains($0.field) }
            && query.filter?.isPlain(over: slots.fields) ?? true
    }
}

extension PlannedQuery {
    /// The collection, if the query is a plain list of one in the order of names. Such queries all have the same
    /// text.
    fileprivate var listedCollection: CollectionPath? {
        guard case .collection(let collection) = scope, filter == nil, start == nil, end == nil, offset == 0,
            orders.count == 1, orders[0].direction == .ascending, requestsAll
        else { return nil }
        return collection
    }
}

extension Filter {
    /// Returns `true` if the filter is one or two conditions on the fields, each with one constant.
    fileprivate func isPlain(over fields: Set<FieldPath>) -> Bool {
        switch self {
        case .field(let field, let comparison, _): fields.contains(field) && comparison.sqlOperator != nil
        case .and(let filters): filters.count <= 2 && filters.allSatisfy { $0.isPlain(over: fields) }
        default: false
        }
    }
}
