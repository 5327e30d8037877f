import GRDB

/// Brings the file's field indexes in line with those declared.
enum FieldIndexes {
    static func synchronize(_ indexes: [FieldIndex], in db: Database) throws {
        var wanted: [String: String] = [:]
        for index in indexes {
            try index.validate()
            wanted[index.name] = SQL.createFieldIndex(index, name: index.name)
        }
        for row in try Row.fetchAll(db, sql: SQL.selectFieldIndexes) {
            let (name, sql): (String, String) = (row[0], row[1])
            if wanted[name] == sql {
                wanted[name] = nil
            } else {
                try db.execute(sql: SQL.dropIndex(name))
            }
        }
        for sql in wanted.values { try db.execute(sql: sql) }
    }
}

extension FieldIndex {
    fileprivate var name: String { "field:\(StoredName.encode(collectionGroup)):\(field):\(type.rawValue)" }

    fileprivate func validate() throws(StoreError) {
        try PathText.validateID(collectionGroup)
        try field.validate()
        guard field.isPlainInJSON else {
            throw .invalid("the field \(field) cannot have an index: its name needs escapes in JSON")
        }
    }
}

extension FieldPath {
    /// Whether the names stand in JSON as they are. SQLite's JSON paths cannot name others.
    var isPlainInJSON: Bool {
        segments.allSatisfy { name in
            name.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        }
    }
}
