import GRDB

/// Runs the statements of ``SQL`` that are about more than documents, each prepared once for a connection.
enum SQLStatements {
    static func number(of database: DatabaseID, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(sql: SQL.selectDatabase), arguments: [database.project, database.database])
    }

    static func insert(_ database: DatabaseID, _ db: Database) throws -> Int64 {
        try db.cachedStatement(sql: SQL.insertDatabase).execute(arguments: [database.project, database.database])
        return db.lastInsertedRowID
    }

    static func lastCommit(_ db: Database) throws -> Timestamp? {
        try Int64.fetchOne(db, sql: SQL.selectClock).map { Timestamp(microseconds: $0) }
    }

    static func setLastCommit(_ time: Timestamp, _ db: Database) throws {
        let update = try RawStatement(SQL.updateClock, db)
        update.bind(time.microseconds, at: 1)
        try update.execute()
        if db.changesCount == 0 { try db.execute(sql: SQL.insertClock, arguments: [time.microseconds]) }
    }

    /// The collection at or after a text, and before another.
    static func nextParent(
        _ database: Int64, from first: String, before end: DatabaseValue, _ db: Database
    ) throws -> String? {
        try String.fetchOne(db.cachedStatement(sql: SQL.selectNextParent), arguments: [database, first, end])
    }
}
