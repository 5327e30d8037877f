import GRDB

/// The statements that read documents by their paths, prepared on a connection.
struct DocumentLookup {
    private let select: RawStatement
    /// The statement for an earlier state, and its time; `nil` for the present state.
    private let earlier: (select: RawStatement, time: Timestamp)?

    /// Prepares the statements.
    ///
    /// - Parameter time: the time of the state; `nil` for the present one.
    init(_ db: Database, at time: Timestamp? = nil) throws {
        select = try RawStatement(SQL.selectDocument, db)
        earlier = try time.map { (try RawStatement(SQL.selectVersion, db), $0) }
    }

    /// Returns a document; `nil` if the state has no document with that path.
    func document(_ key: RowKey, in database: Int64) throws -> StoredDocument? {
        let document = try select.selecting(key, in: database) { StoredDocument(row: select) }
        guard let earlier else { return document }
        if let document, document.updateTime <= earlier.time { return document }
        earlier.select.bind(earlier.time.microseconds, at: 4)
        earlier.select.bind(earlier.time.microseconds, at: 5)
        return try earlier.select.selecting(key, in: database) { StoredDocument(row: earlier.select) }
    }
}

/// The statements that read, write and index documents by their paths, prepared on the connection that writes.
struct DocumentStatements {
    private let db: Database
    private let slots: IndexSlots
    private let select: RawStatement
    private let insert: RawStatement
    private let update: RawStatement
    private let updateWithValues: RawStatement
    private let delete: RawStatement

    init(_ db: Database, slots: IndexSlots) throws {
        self.db = db
        self.slots = slots
        select = try RawStatement(slots.sql.select, db)
        insert = try RawStatement(slots.sql.insert, db)
        update = try RawStatement(SQL.updateDocument, db)
        updateWithValues = try RawStatement(slots.sql.update, db)
        delete = try RawStatement(SQL.deleteDocument, db)
    }

    /// Returns the table's row of a document; `nil` if there is none.
    func row(_ key: RowKey, in database: Int64) throws -> DocumentRow? {
        try select.selecting(key, in: database) {
            let used = key.withColumns { _, collection, _ in slots.slots(ofGroup: collection) }
            let values = slots.values(in: used) { select.value(3 + CInt($0.number), of: $0.index.type) }
            return DocumentRow(id: select.number(0), document: StoredDocument(row: select), values: values)
        }
    }

    /// Inserts the document that a write creates.
    ///
    /// - Returns: its row; `nil` if there is a document with that path, which stays as it is.
    func insert(_ document: StoredDocument, by write: KeyedWrite, in database: Int64) throws -> DocumentRow? {
        let (key, values) = (write.key, try slots.values(of: document, write))
        insert.bind(database, at: 1)
        insert.bind(document.createTime.microseconds, at: 5)
        insert.bind(document.updateTime.microseconds, at: 6)
        try key.withColumns { parent, collection, id in
            try insert.with(parent, at: 2) {
                try insert.with(collection, at: 3) {
                    try insert.with(id, at: 4) {
                        try insert.with(document.json, at: 7) {
                            try insert.with(values[...], at: 8) { try insert.execute() }
                        }
                    }
                }
            }
        }
        guard db.changesCount > 0 else { return nil }
        return DocumentRow(id: db.lastInsertedRowID, document: document, values: values)
    }

    /// Updates a row to the document after a write. Opens the indexes only if their values have changed.
    ///
    /// - Returns: the new row.
    func update(_ row: DocumentRow, to document: StoredDocument, by write: KeyedWrite) throws -> DocumentRow {
        let values = try slots.values(of: document, write)
        let update = values == row.values ? update : updateWithValues
        update.bind(document.createTime.microseconds, at: 1)
        update.bind(document.updateTime.microseconds, at: 2)
        update.bind(row.id, at: 4)
        try update.with(document.json, at: 3) {
            guard values != row.values else { return try update.execute() }
            try update.with(values[...], at: 5) { try update.execute() }
        }
        return DocumentRow(id: row.id, document: document, values: values)
    }

    /// Deletes a row.
    func delete(_ row: DocumentRow) throws {
        delete.bind(row.id, at: 1)
        try delete.execute()
    }
}

/// A document's row in the table.
struct DocumentRow: StoredRow {
    let id: Int64
    let document: StoredDocument
    /// The value of each value column; empty if the document's group has no index.
    let values: [IndexedValue]
}

extension StoredDocument {
    /// Copies the document of a row.
    ///
    /// - Parameter row: a row whose columns begin with id, created_at, updated_at and fields.
    fileprivate init(row: RawStatement) {
        self.init(
            json: Array(row.bytes(3)), createTime: Timestamp(microseconds: row.number(1)),
            updateTime: Timestamp(microseconds: row.number(2)))
    }
}

extension RawStatement {
    /// Runs the closure on the row that a statement selects by path; returns `nil` if there is none.
    fileprivate func selecting<Answer>(
        _ key: RowKey, in database: Int64, _ body: () throws -> Answer
    ) throws -> Answer? {
        bind(database, at: 1)
        return try key.withColumns { parent, _, document in
            try with(parent, at: 2) {
                try with(document, at: 3) {
                    defer { reset() }
                    return try step() ? try body() : nil
                }
            }
        }
    }
}

extension IndexSlots {
    /// Returns the value of each column for the document after a write; empty if its group has no index.
    ///
    /// - Throws: `DATA_LOSS` if the document's stored fields cannot be read.
    fileprivate func values(of document: StoredDocument, _ write: KeyedWrite) throws(StoreError) -> [IndexedValue] {
        let slots = write.key.withColumns { _, collection, _ in self.slots(ofGroup: collection) }
        guard !slots.isEmpty else { return [] }
        let fields = try document.fields(at: write.path)
        return values(in: slots) { $0.value(in: fields) }
    }
}
