import GRDB

/// The tables, and the migrations of files from earlier versions.
enum Schema {
    /// "PGAT", by which `file` and other tools can identify the file
    /// ([application_id](https://www.sqlite.org/pragma.html#pragma_application_id)).
    static let applicationID = 0x5047_4154

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 documents", migrate: createDocuments)
        migrator.registerMigration("2 indexed values", migrate: replaceExpressionIndexes)
        migrator.registerMigration("3 versions", migrate: createVersions)
        migrator.registerMigration("4 automatic indexes", migrate: createFieldEntries)
        migrator.registerMigration("5 outcomes", migrate: createOutcomes)
        migrator.registerMigration("6 numeric ids", migrate: NameUpgrade.run)
        return migrator
    }

    /// Updates the tables.
    ///
    /// - Throws: `FAILED_PRECONDITION` if a newer version or another program wrote the file.
    static func migrate(_ pool: DatabasePool) throws {
        try pool.read(check)
        try migrator.migrate(pool)
    }

    /// Returns `true` if ``migrate(_:)`` changes the tables of an earlier version.
    static func isFromEarlierVersion(_ db: Database) throws -> Bool {
        let (migrator, applied) = (migrator, try migrator.appliedIdentifiers(db))
        return !applied.isEmpty && !migrator.migrations.allSatisfy(applied.contains)
    }

    /// Checks that this version can read the file.
    static func check(_ db: Database) throws {
        let id = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        guard id == 0 || id == applicationID else {
            throw StoreError(
                .failedPrecondition, "the file is another program's database; name another file or directory")
        }
        guard try !migrator.hasBeenSuperseded(db) else {
            throw StoreError(
                .failedPrecondition,
                "the file was written by a newer version; run that version, or restore the backup that it made before it changed the file"
            )
        }
    }

    private static func createDocuments(_ db: Database) throws {
        try db.execute(sql: "PRAGMA application_id = \(applicationID)")
        try db.execute(sql: SQL.createDatabases)
        try db.execute(sql: SQL.createClock)
        try db.execute(sql: SQL.createDocuments)
        try db.execute(sql: SQL.createPathIndex)
        try db.execute(sql: SQL.createGroupIndex)
    }

    /// Removes the indexes over expressions on `fields`. ``FieldIndexes`` creates those over columns.
    private static func replaceExpressionIndexes(_ db: Database) throws {
        try db.execute(sql: SQL.createFieldIndexes)
        for name in try String.fetchAll(db, sql: SQL.selectExpressionIndexes) {
            try db.execute(sql: SQL.dropIndex(name))
        }
    }

    private static func createVersions(_ db: Database) throws {
        try db.execute(sql: SQL.addSinceColumn)
        try db.execute(sql: SQL.createVersions)
        try db.execute(sql: SQL.createVersionIndex)
    }

    private static func createFieldEntries(_ db: Database) throws {
        try db.execute(sql: SQL.addIndexedColumn)
        try db.execute(sql: SQL.createFieldEntries)
    }

    private static func createOutcomes(_ db: Database) throws {
        try db.execute(sql: SQL.createOutcomes)
        try db.execute(sql: SQL.createOutcomeIndex)
    }
}
