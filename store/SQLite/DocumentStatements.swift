import GRDB

/// The statements of ``SQL`` that read and write documents by their paths, ready on a connection.
struct DocumentStatements {
    private let select: RawStatement
    private let insert: RawStatement
    private let update: RawStatement
    private let delete: RawStatement

    init(_ db: Database) throws {
        select = try RawStatement(SQL.selectDocument, db)
        insert = try RawStatement(SQL.insertDocument, db)
        update = try RawStatement(SQL.updateDocument, db)
        delete = try RawStatement(SQL.deleteDocument, db)
    }

    /// What the table has for a document.
    func row(_ key: RowKey, in database: Int64) throws -> DocumentRow? {
        select.bind(database, at: 1)
        return try select.with(key.parent, at: 2) {
            try select.with(key.document, at: 3) { try selectedRow() }
        }
    }

    private func selectedRow() throws -> DocumentRow? {
        defer { select.reset() }
        guard try select.step() else { return nil }
        let document = StoredDocument(
            json: Array(select.bytes(3)), createTime: Timestamp(microseconds: select.number(1)),
            updateTime: Timestamp(microseconds: select.number(2)))
        return DocumentRow(id: select.number(0), document: document)
    }

    func insert(_ document: StoredDocument, _ key: RowKey, in database: Int64) throws {
        insert.bind(database, at: 1)
        insert.bind(document.createTime.microseconds, at: 5)
        insert.bind(document.updateTime.microseconds, at: 6)
        try insert.with(key.parent, at: 2) {
            try insert.with(key.collection, at: 3) {
                try insert.with(key.document, at: 4) {
                    try insert.with(document.json, at: 7, insert.execute)
                }
            }
        }
    }

    func update(_ document: StoredDocument, _ id: Int64) throws {
        update.bind(document.createTime.microseconds, at: 1)
        update.bind(document.updateTime.microseconds, at: 2)
        update.bind(id, at: 4)
        try update.with(document.json, at: 3, update.execute)
    }

    func delete(_ id: Int64) throws {
        delete.bind(id, at: 1)
        try delete.execute()
    }
}

/// A document, and where it is in the table.
struct DocumentRow {
    let id: Int64
    let document: StoredDocument
}
