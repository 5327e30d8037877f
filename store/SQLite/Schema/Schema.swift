import GRDB

/// The tables of a file.
enum Schema {
    /// "PGAT", by which `file` and other tools can identify the file
    /// ([application_id](https://www.sqlite.org/pragma.html#pragma_application_id)).
    static let applicationID = 0x5047_4154

    /// The migration that makes all tables. Builds before 0.1.0 made them in six steps, and this was the last one.
    private static let tables = "6 numeric ids"
    /// The other steps, which each file names too. A file that has only these is of an ``EarlierForm``.
    private static let earlierSteps: Set = [
        "1 documents", "2 indexed values", "3 versions", "4 automatic indexes", "5 outcomes",
    ]

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(tables, migrate: create)
        return migrator
    }

    /// Creates the tables of a new file, and changes those of an earlier version.
    ///
    /// - Throws: `FAILED_PRECONDITION` as ``check(_:)`` does.
    static func migrate(_ pool: DatabasePool) throws {
        try pool.read(check)
        try migrator.migrate(pool)
    }

    /// Returns `true` if a version with these migrations changes the tables of the file. It refuses an
    /// ``EarlierForm``, and changes nothing.
    static func isOutdated(_ db: Database, before migrations: [String]) throws -> Bool {
        let applied = try migrator.appliedIdentifiers(db)
        return applied.contains(tables) && !applied.isSuperset(of: migrations)
    }

    /// Checks that this version can read the file.
    ///
    /// - Throws: `FAILED_PRECONDITION` if a newer version, a build before 0.1.0 or another program wrote it.
    static func check(_ db: Database) throws {
        let id = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        guard id == 0 || id == applicationID else {
            throw StoreError(
                .failedPrecondition, "the file is another program's database; name another file or directory")
        }
        let applied = try migrator.appliedIdentifiers(db)
        guard applied.isSubset(of: earlierSteps.union(migrator.migrations)) else {
            throw StoreError(
                .failedPrecondition,
                "the file was written by a newer version; run that version, or restore the backup that it made before it changed the file"
            )
        }
        guard applied.isEmpty || applied.contains(tables) else {
            throw EarlierForm.refusal(of: "the file has tables")
        }
    }

    private static func create(_ db: Database) throws {
        try db.execute(sql: "PRAGMA application_id = \(applicationID)")
        for sql in [
            SQL.createDatabases, SQL.createClock, SQL.createDocuments, SQL.createPathIndex, SQL.createGroupIndex,
            SQL.createFieldIndexes, SQL.createVersions, SQL.createVersionIndex, SQL.createFieldEntries,
            SQL.createOutcomes, SQL.createOutcomeIndex,
        ] {
            try db.execute(sql: sql)
        }
        // The last of the builds before 0.1.0 can open the file too, and convert what was imported into it.
        for step in earlierSteps { try db.execute(sql: SQL.insertMigration, arguments: [step]) }
    }
}
