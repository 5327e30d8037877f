import GRDB

/// Makes the columns of indexed values, and the indexes over them, match the declared indexes.
enum FieldIndexes {
    /// Creates, fills, empties and drops columns and indexes as necessary. Call this in a transaction.
    ///
    /// - Returns: the columns of the declared indexes.
    static func synchronize(_ indexes: [FieldIndex], in db: Database) throws -> IndexSlots {
        for index in indexes { try validate(index) }
        let assignment = SlotAssignment(
            of: indexes, stored: try Row.fetchAll(db, sql: SQL.selectFieldIndexes).map(StoredSlot.init))
        for slot in assignment.dropped { try drop(slot, db) }
        let columns = Set(try String.fetchAll(db, sql: SQL.selectValueColumns))
        for column in assignment.columns.subtracting(columns).sorted() {
            try db.execute(sql: SQL.addValueColumn(column))
        }
        for slot in assignment.added { try add(slot, db) }
        try index(assignment.columns, db)
        return IndexSlots(assignment.slots)
    }

    private static func validate(_ index: FieldIndex) throws(StoreError) {
        try index.validate()
        guard index.type == nil || index.field.isPlainInJSON else {
            throw .invalid("the field \(index.field) cannot have an index: its name needs escapes in JSON")
        }
    }

    /// Empties the column of an index, which is then free for another one.
    private static func drop(_ slot: StoredSlot, _ db: Database) throws {
        try db.execute(sql: SQL.clearValues(SQL.valueColumn(slot.number)), arguments: [slot.collection])
        try db.execute(sql: SQL.deleteFieldIndex, arguments: [slot.collection, slot.number])
    }

    private static func add(_ slot: IndexSlot, _ db: Database) throws {
        let stored = StoredSlot(slot)
        try db.execute(sql: SQL.fillValues(slot), arguments: [stored.collection])
        try db.execute(
            sql: SQL.insertFieldIndex, arguments: [stored.collection, stored.field, stored.type, stored.number])
    }

    /// Creates an index for each column in use, and drops all others, because an insert opens each index.
    private static func index(_ columns: Set<String>, _ db: Database) throws {
        var wanted: [String: String] = [:]
        for column in columns { wanted[SQL.valueIndex(column)] = SQL.createValueIndex(column) }
        for row in try Row.fetchAll(db, sql: SQL.selectValueIndexes) {
            let (name, sql): (String, String) = (row[0], row[1])
            if wanted[name] == sql {
                wanted[name] = nil
            } else {
                try db.execute(sql: SQL.dropIndex(name))
            }
        }
        for sql in wanted.values.sorted() { try db.execute(sql: sql) }
    }
}

extension FieldPath {
    /// `true` if JSON needs no escapes for the names. SQLite's JSON paths cannot express other names.
    var isPlainInJSON: Bool {
        segments.allSatisfy { name in
            name.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        }
    }
}
