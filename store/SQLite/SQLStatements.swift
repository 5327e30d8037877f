import GRDB

/// Runs the statements of ``SQL``, each prepared once for a connection.
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
        let statement = try db.cachedStatement(sql: SQL.updateClock)
        try statement.execute(arguments: [time.microseconds])
        if db.changesCount == 0 { try db.execute(sql: SQL.insertClock, arguments: [time.microseconds]) }
    }

    /// The row of a document, or the place for one.
    static func row(
        _ path: DocumentPath, _ key: RowKey, in database: Int64, _ db: Database
    ) throws -> DocumentRow {
        let statement = try db.cachedStatement(sql: SQL.selectDocument)
        let rows = try Row.fetchCursor(statement, arguments: [database, key.parent, key.document])
        guard let row = try rows.next() else { return DocumentRow(path: path, key: key, id: nil, document: nil) }
        let document = StoredDocument(
            json: row[3], createTime: Timestamp(microseconds: row[1]), updateTime: Timestamp(microseconds: row[2]))
        return DocumentRow(path: path, key: key, id: row[0], document: document)
    }

    /// Makes the table have what the row says.
    static func save(_ row: DocumentRow, in database: Int64, _ db: Database) throws {
        switch (row.id, row.document) {
        case (nil, let document?): try insert(document, row, in: database, db)
        case (let id?, let document?): try update(document, id, db)
        case (let id?, nil): try db.cachedStatement(sql: SQL.deleteDocument).execute(arguments: [id])
        case (nil, nil): break
        }
    }

    private static func insert(
        _ document: StoredDocument, _ row: DocumentRow, in database: Int64, _ db: Database
    ) throws {
        try db.cachedStatement(sql: SQL.insertDocument).execute(arguments: [
            database, row.key.parent, row.key.collection, row.key.document,
            document.createTime.microseconds, document.updateTime.microseconds, document.json,
        ])
    }

    private static func update(_ document: StoredDocument, _ id: Int64, _ db: Database) throws {
        try db.cachedStatement(sql: SQL.updateDocument).execute(arguments: [
            document.createTime.microseconds, document.updateTime.microseconds, document.json, id,
        ])
    }

    /// The collection at or after a text, and before another.
    static func nextParent(
        _ database: Int64, from first: String, before end: DatabaseValue, _ db: Database
    ) throws -> String? {
        try String.fetchOne(db.cachedStatement(sql: SQL.selectNextParent), arguments: [database, first, end])
    }
}
