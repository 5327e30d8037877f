import GRDB

/// Transactions that keep BEGIN and COMMIT prepared. GRDB's own prepare them each time.
extension Database {
    /// Runs the closure in a transaction that writes, and rolls back if it or the commit fails.
    func inWriteTransaction(_ operations: () throws -> TransactionCompletion) throws {
        try cachedStatement(sql: SQL.beginWrite).execute()
        do {
            switch try operations() {
            case .commit: try cachedStatement(sql: SQL.commit).execute()
            case .rollback: try rollback()
            }
        } catch {
            // Does nothing after an error at which SQLite has rolled back by itself.
            try? rollback()
            throw error
        }
    }

    /// Runs the closure in a transaction that reads: everything in it sees one state of the file.
    func inReadTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        try cachedStatement(sql: SQL.beginRead).execute()
        defer { endReading() }
        return try body()
    }

    /// Leaves the transaction in a task that was cancelled too, where GRDB refuses to commit.
    private func endReading() {
        do {
            try cachedStatement(sql: SQL.commit).execute()
        } catch {
            try? rollback()
        }
    }
}
