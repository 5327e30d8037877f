import GRDB
import Synchronization

/// The statements of ``SQL`` that concern databases, time and collections, each prepared once for a connection.
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

    /// Returns the first collection at or after a text and before another; `nil` if there is none.
    static func nextParent(
        _ database: Int64, from first: String, before end: DatabaseValue, _ db: Database
    ) throws -> String? {
        try String.fetchOne(db.cachedStatement(sql: SQL.selectNextParent), arguments: [database, first, end])
    }
}

/// A cache of the databases' numbers in their column. A number never changes while the file exists.
final class DatabaseNumbers: Sendable {
    private let numbers = Mutex<[DatabaseID: Int64]>([:])

    /// The number of a database; `nil` if it is not known yet.
    subscript(database: DatabaseID) -> Int64? { numbers.withLock { $0[database] } }

    /// Keeps the number of a database from a committed transaction.
    func keep(_ number: Int64, of database: DatabaseID) { numbers.withLock { $0[database] = number } }
}
