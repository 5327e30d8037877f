import GRDB

/// Opens the file's connections: one that writes, and some that read.
enum Connections {
    static func open(_ settings: SQLiteStoreConfiguration) throws -> (DatabasePool, IndexSlots) {
        let pool = try DatabasePool(path: settings.path, configuration: configuration(settings))
        try Schema.migrate(pool)
        let slots = try pool.writeWithoutTransaction { db in
            // Every commit is on the disk before it is answered. GRDB chooses NORMAL, which syncs at checkpoints only
            // (https://www.sqlite.org/pragma.html#pragma_synchronous).
            try db.execute(sql: "PRAGMA synchronous = FULL")
            var slots = IndexSlots([])
            try db.inTransaction {
                slots = try FieldIndexes.synchronize(settings.fieldIndexes, in: db)
                return .commit
            }
            return slots
        }
        return (pool, slots)
    }

    /// Reads only. The cache is small: in a file with a log it is empty again after each commit.
    static var inPlaceConfiguration: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = "pushgate.store.in-place"
        configuration.readonly = true
        configuration.busyMode = .immediateError
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -2048")
            QueryFunctions.register(in: db)
        }
        return configuration
    }

    /// Writes nothing but the copies of pages in the log.
    static var checkpointConfiguration: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = "pushgate.store.checkpoint"
        configuration.busyMode = .immediateError
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        return configuration
    }

    private static func configuration(_ settings: SQLiteStoreConfiguration) -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = "pushgate.store"
        configuration.maximumReaderCount = max(1, settings.readers)
        // Nobody else should hold the file; a backup tool may, for a moment.
        configuration.busyMode = .timeout(5)
        // The schema has no foreign keys.
        configuration.foreignKeysEnabled = false
        configuration.persistentReadOnlyConnections = true
        configuration.prepareDatabase(prepare)
        return configuration
    }

    /// GRDB turns on the write-ahead log (https://www.sqlite.org/wal.html), so that readers and the writer do not wait
    /// for each other.
    private static func prepare(_ db: Database) throws {
        // A deleted device token does not linger in free pages (https://www.sqlite.org/pragma.html#pragma_secure_delete).
        try db.execute(sql: "PRAGMA secure_delete = ON")
        // A burst leaves no lasting giant of a log behind. Twice as long as it grows in general, so that it keeps its size
        // (https://www.sqlite.org/pragma.html#pragma_journal_size_limit). Bytes.
        try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
        // Pages, of 4 KiB (https://www.sqlite.org/pragma.html#pragma_cache_size); negative numbers are KiB.
        try db.execute(sql: "PRAGMA cache_size = -16384")
        QueryFunctions.register(in: db)
    }
}
