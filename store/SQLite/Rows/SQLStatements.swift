import GRDB
import Synchronization

/// The statements of ``SQL`` that concern databases, time and collections, each prepared once for a connection.
enum SQLStatements {
    static func row(of database: DatabaseID, _ db: Database) throws -> StoredDatabase? {
        let statement = try db.cachedStatement(sql: SQL.selectDatabase)
        return try Row.fetchOne(statement, arguments: [database.project, database.database]).map { row in
            let (number, since): (Int64, Int64?) = (row[0], row[1])
            return StoredDatabase(number: number, since: since.map { Timestamp(microseconds: $0) })
        }
    }

    static func insert(
        _ database: DatabaseID, since: Timestamp?, isIndexed: Bool, _ db: Database
    ) throws -> StoredDatabase {
        try db.cachedStatement(sql: SQL.insertDatabase)
            .execute(arguments: [database.project, database.database, since?.microseconds, isIndexed])
        return StoredDatabase(number: db.lastInsertedRowID, since: since)
    }

    static func set(since: Timestamp?, of number: Int64, _ db: Database) throws {
        try db.cachedStatement(sql: SQL.updateSince).execute(arguments: [since?.microseconds, number])
    }

    /// Gives a database another number, which no row has.
    static func renumber(_ number: Int64, since: Timestamp?, _ db: Database) throws {
        try db.cachedStatement(sql: SQL.renumberDatabase).execute(arguments: [since?.microseconds, number])
    }

    static func lastCommit(_ db: Database) throws -> Timestamp? {
        try Int64.fetchOne(db.cachedStatement(sql: SQL.selectClock)).map { Timestamp(microseconds: $0) }
    }

    static func setLastCommit(_ time: Timestamp, _ db: Database) throws {
        let update = try RawStatement(SQL.updateClock, db)
        update.bind(time.microseconds, at: 1)
        try update.execute()
        if db.changesCount == 0 { try db.execute(sql: SQL.insertClock, arguments: [time.microseconds]) }
    }

    /// Returns the first collection at or after a text and before another; `nil` if there is none.
    ///
    /// - Parameter time: the time of the state; `nil` for the present one.
    static func nextParent(
        _ database: Int64, at time: Timestamp?, from first: String, before end: DatabaseValue, _ db: Database
    ) throws -> String? {
        guard let time else {
            return try String.fetchOne(
                db.cachedStatement(sql: SQL.selectNextParent), arguments: [database, first, end])
        }
        let micros = time.microseconds
        return try String.fetchOne(
            db.cachedStatement(sql: SQL.documentsAtTime + SQL.selectNextParent),
            arguments: [database, micros, database, micros, micros, database, first, end])
    }
}
