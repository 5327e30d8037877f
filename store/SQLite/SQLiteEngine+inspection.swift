import GRDB

/// What tests and measurements look at.
extension SQLiteEngine {
    /// The steps that SQLite takes for a query (https://www.sqlite.org/eqp.html).
    func plan(of query: Query, in database: DatabaseID) async throws(StoreError) -> [String] {
        let query = try PlannedQuery(query, in: database)
        let indexes = configuration.fieldIndexes
        return try await read { db in
            let number = try SQLStatements.number(of: database, db) ?? 0
            let compiler = QueryCompiler(
                query: query, database: database, number: number, indexes: indexes, unreadable: self.unreadable)
            let select = try compiler.selectDocuments()
            return try Self.plan(of: select.sql, StatementArguments(select.arguments), db)
        }
    }

    /// The steps for a statement of ``SQL``, whatever its arguments.
    func plan(of sql: String) async throws(StoreError) -> [String] {
        try await read { db in
            let nulls = sql.filter { $0 == "?" }.map { _ in DatabaseValue.null }
            return try Self.plan(of: sql, StatementArguments(nulls), db)
        }
    }

    private static func plan(of sql: String, _ arguments: StatementArguments, _ db: Database) throws -> [String] {
        try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments).map { $0["detail"] }
    }

    /// Runs on the connection that writes, outside any transaction; the first column of the rows, as text.
    func onWriter(_ sql: String) async throws -> [String] {
        try await pool.writeWithoutTransaction { db in
            try Row.fetchAll(db, sql: sql).map { row in (row[0] as DatabaseValue).description }
        }
    }

    /// Occupies the connection that writes.
    func onWriter(_ body: @escaping @Sendable () -> Void) {
        pool.asyncWriteWithoutTransaction { _ in body() }
    }
}
