import GRDB

/// The statement that keeps superseded documents, prepared on the connection that writes.
struct VersionStatements {
    private let insert: RawStatement
    /// The number of bytes of all versions ever written.
    private var written: Int64

    init(_ db: Database) throws {
        insert = try RawStatement(SQL.insertVersion, db)
        written = try Int64.fetchOne(db.cachedStatement(sql: SQL.selectWritten)) ?? 0
    }

    /// Keeps a document as it was until a commit.
    mutating func insert(
        _ document: StoredDocument, of key: RowKey, in database: Int64, until time: Timestamp
    ) throws {
        written += Int64(document.json.count + Self.overhead)
        insert.bind(database, at: 1)
        insert.bind(document.createTime.microseconds, at: 5)
        insert.bind(document.updateTime.microseconds, at: 6)
        insert.bind(time.microseconds, at: 7)
        insert.bind(written, at: 8)
        try key.withColumns { parent, collection, id in
            try insert.with(parent, at: 2) {
                try insert.with(collection, at: 3) {
                    try insert.with(id, at: 4) {
                        try insert.with(document.json, at: 9, insert.execute)
                    }
                }
            }
        }
    }

    /// The bytes of a row beside its fields, about.
    private static let overhead = 200
}
