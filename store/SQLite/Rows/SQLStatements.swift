import GRDB
import Synchronization

/// The statements of ``SQL`` that concern databases, time and collections, each prepared once for a connection.
enum SQLStatements {
    static func row(of database: DatabaseID, _ db: Database) throws -> StoredDatabase? {
        let select = try RawStatement(SQL.selectDatabase, db)
        return try select.with(database) {
            defer { select.reset() }
            guard try select.step() else { return nil }
            let since = select.storage(1) == .null ? nil : Timestamp(microseconds: select.number(1))
            return StoredDatabase(number: select.number(0), since: since)
        }
    }

    /// Returns the databases that contain documents, in the order of their names.
    static func databases(_ db: Database) throws -> [DatabaseID] {
        let select = try RawStatement(SQL.selectDatabases, db)
        defer { select.reset() }
        var databases: [DatabaseID] = []
        while try select.step() { databases.append(select.database(0)) }
        return databases
    }

    /// A database of the file, with or without entries of automatic indexes.
    struct IndexedDatabase {
        let number: Int64
        let database: DatabaseID
        let isIndexed: Bool
    }

    /// Returns all databases that the file has ever contained.
    static func indexedDatabases(_ db: Database) throws -> [IndexedDatabase] {
        let select = try RawStatement(SQL.selectIndexed, db)
        defer { select.reset() }
        var databases: [IndexedDatabase] = []
        while try select.step() {
            databases.append(
                IndexedDatabase(
                    number: select.number(0), database: select.database(1), isIndexed: select.number(3) != 0))
        }
        return databases
    }

    static func insert(
        _ database: DatabaseID, since: Timestamp?, isIndexed: Bool, _ db: Database
    ) throws -> StoredDatabase {
        let insert = try RawStatement(SQL.insertDatabase, db)
        insert.bind(since?.microseconds, at: 3)
        insert.bind(isIndexed ? 1 : 0, at: 4)
        try insert.with(database, insert.execute)
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

extension RawStatement {
    /// Binds the ids of a database to the first two parameters for the duration of the closure, which runs the
    /// statement and resets it.
    fileprivate func with<Answer>(_ database: DatabaseID, _ body: () throws -> Answer) rethrows -> Answer {
        try with(database.project, at: 1) { try with(database.database, at: 2, body) }
    }

    /// Reads the ids of a database from two columns.
    fileprivate func database(_ column: CInt) -> DatabaseID {
        DatabaseID(project: text(column), database: text(column + 1))
    }
}
