import GRDB

/// The migration of names and keys from the form of ``EarlierName`` to that of ``StoredName``, in which numeric ids
/// come first. It changes only rows with such ids, with U+0000 or with U+0001.
enum NameUpgrade {
    private static let function = DatabaseFunction(SQL.upgradedName, argumentCount: 1, pure: true) { values in
        guard let name = String.fromDatabaseValue(values[0]) else { return nil }
        return EarlierName.upgraded(name)
    }

    /// Changes the rows. Call this in a transaction.
    static func run(_ db: Database) throws {
        db.add(function: function)
        try removeIndexes(db)
        try db.execute(sql: SQL.upgradeNames("versions"))
        guard try Bool.fetchOne(db, sql: SQL.hasEarlierNames) == true else { return }
        // A new name can be the earlier one of a row that is not changed yet.
        try db.execute(sql: SQL.dropPathIndex)
        try db.execute(sql: SQL.upgradeNames("documents"))
        try db.execute(sql: SQL.createPathIndex)
    }

    /// Removes what indexes have of such names. ``FieldIndexes`` and ``AutomaticIndexes`` make it again when the file
    /// is opened after the migration.
    private static func removeIndexes(_ db: Database) throws {
        for slot in try Row.fetchAll(db, sql: SQL.selectFieldIndexes).map(StoredSlot.init) {
            if try isStale(slot, db) { try FieldIndexes.drop(slot, db) }
        }
        for database in try Int64.fetchAll(db, sql: SQL.selectEarlierIndexed) {
            try db.execute(sql: SQL.deleteEntriesOfDatabase, arguments: [database])
            try db.execute(sql: SQL.updateIndexed, arguments: [false, database])
        }
    }

    private static func isStale(_ slot: StoredSlot, _ db: Database) throws -> Bool {
        if !EarlierName.upgraded(slot.collection).hasSameBytes(as: slot.collection) { return true }
        guard slot.hasSortKeys else { return false }
        return try Bool.fetchOne(db, sql: SQL.hasNumericReferences, arguments: [slot.collection]) == true
    }
}
