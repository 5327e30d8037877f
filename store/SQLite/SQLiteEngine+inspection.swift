import GRDB

/// Functions for tests and measurements.
extension SQLiteEngine {
    /// Returns SQLite's steps for a query (https://www.sqlite.org/eqp.html).
    func plan(of query: Query, in database: DatabaseID) async throws(StoreError) -> [String] {
        let query = try PlannedQuery(query, in: database)
        return try await read { db in
            let number = try SQLStatements.row(of: database, db)?.number ?? 0
            let compiler = QueryCompiler(
                query, in: database, number: number, slots: self.slots,
                hasEntries: self.configuration.indexesFields(database), unreadable: self.unreadable)
            let select = try compiler.selectDocuments(db)
            return try Self.plan(of: select.sql, StatementArguments(select.arguments), db)
        }
    }

    /// Returns SQLite's steps for a statement of ``SQL``, with NULL for its arguments.
    func plan(of sql: String) async throws(StoreError) -> [String] {
        try await read { db in
            let nulls = sql.filter { $0 == "?" }.map { _ in DatabaseValue.null }
            return try Self.plan(of: sql, StatementArguments(nulls), db)
        }
    }

    private static func plan(of sql: String, _ arguments: StatementArguments, _ db: Database) throws -> [String] {
        try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments).map { $0["detail"] }
    }

    /// Returns the number of B-trees, of tables and indexes, that a statement opens to write.
    func writtenTrees(_ sql: String) async throws(StoreError) -> Int {
        try await read { db in
            let nulls = sql.filter { $0 == "?" }.map { _ in DatabaseValue.null }
            return try Row.fetchAll(db, sql: "EXPLAIN \(sql)", arguments: StatementArguments(nulls))
                .count { $0["opcode"] == "OpenWrite" }
        }
    }

    /// Runs statements on the connection that writes, outside any transaction. Returns the last statement's first
    /// column as text.
    func onWriter(_ sql: String) async throws -> [String] {
        try await pool.writeWithoutTransaction { db in try Self.run(sql, db) }
    }

    /// Runs statements on a file that no engine has open. Returns the last statement's first column as text.
    @discardableResult
    package static func run(_ sql: String, onFile path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.inDatabase { db in try run(sql, db) }
    }

    private static func run(_ sql: String, _ db: Database) throws -> [String] {
        var rows: [Row] = []
        let statements = try db.allStatements(sql: sql)
        while let statement = try statements.next() { rows = try Row.fetchAll(statement) }
        return rows.map { row in (row[0] as DatabaseValue).description }
    }

    /// Runs the closure on the connection that writes, which is occupied until it returns.
    func onWriter(_ body: @escaping @Sendable () -> Void) {
        pool.asyncWriteWithoutTransaction { _ in body() }
    }
}
