import GRDB
import Logging

/// The file's connections: one that writes, several that read, and one for checkpoints.
enum Connections {
    static func open(_ settings: SQLiteStoreConfiguration, _ logger: Logger) throws -> (DatabasePool, IndexSlots) {
        let pool = try DatabasePool(path: settings.path, configuration: configuration(settings))
        try Schema.migrate(pool)
        let slots = try pool.writeWithoutTransaction { db in
            // Each commit is on the disk before it is answered. GRDB's default is NORMAL, which syncs at checkpoints
            // only (https://www.sqlite.org/pragma.html#pragma_synchronous).
            try db.execute(sql: "PRAGMA synchronous = FULL")
            var slots = IndexSlots([])
            try db.inTransaction {
                slots = try FieldIndexes.synchronize(settings.fieldIndexes, in: db)
                let declared = settings.fieldIndexes
                try AutomaticIndexes.synchronize(settings.indexesFields, declared: declared, in: db) { database in
                    logger.notice("writing the automatic indexes", metadata: ["database": "\(database)"])
                }
                return .commit
            }
            return slots
        }
        return (pool, slots)
    }

    /// The configuration of a read-only connection. Its cache is small because, with a write-ahead log, each commit
    /// empties it.
    static var inPlaceConfiguration: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = "pushgate.store.in-place"
        configuration.readonly = true
        configuration.busyMode = .immediateError
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -2048")
            try QueryFunctions.register(in: db)
        }
        return configuration
    }

    /// The configuration of a read-only connection that keeps its transaction between two reads.
    static var resultConfiguration: GRDB.Configuration {
        var configuration = inPlaceConfiguration
        configuration.label = "pushgate.store.results"
        configuration.busyMode = .timeout(5)
        configuration.allowsUnsafeTransactions = true
        return configuration
    }

    /// The configuration of the connection that copies pages from the log to the database file, and writes nothing
    /// else.
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
        // No other process should lock the file, but a backup tool may do so briefly.
        configuration.busyMode = .timeout(5)
        // The schema has no foreign keys.
        configuration.foreignKeysEnabled = false
        configuration.persistentReadOnlyConnections = true
        configuration.prepareDatabase(prepare)
        return configuration
    }

    /// GRDB turns on the write-ahead log (https://www.sqlite.org/wal.html), with which readers and the writer do not
    /// wait for each other.
    private static func prepare(_ db: Database) throws {
        // Deleted device tokens do not remain in free pages
        // (https://www.sqlite.org/pragma.html#pragma_secure_delete).
        try db.execute(sql: "PRAGMA secure_delete = ON")
        // After a burst of writes the log becomes small again. The limit is twice the usual length, so that the file
        // keeps its size in general (https://www.sqlite.org/pragma.html#pragma_journal_size_limit). The unit is bytes.
        try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
        // A negative number is KiB, a positive one pages of 4 KiB
        // (https://www.sqlite.org/pragma.html#pragma_cache_size). The cache of a reader would only fill the memory.
        try db.execute(sql: "PRAGMA cache_size = \(db.configuration.readonly ? -2048 : -16384)")
        try QueryFunctions.register(in: db)
    }
}

/// Transactions that reuse prepared BEGIN and COMMIT statements. GRDB's own prepare them each time.
extension Database {
    /// Runs the closure in a write transaction, and rolls back if the closure or the commit fails.
    func inWriteTransaction(_ operations: () throws -> TransactionCompletion) throws {
        try cachedStatement(sql: SQL.beginWrite).execute()
        do {
            switch try operations() {
            case .commit: try cachedStatement(sql: SQL.commit).execute()
            case .rollback: try rollback()
            }
        } catch {
            // This has no effect after an error at which SQLite has already rolled back.
            try? rollback()
            throw error
        }
    }

    /// Runs the closure in a read transaction, in which all reads see the same state of the file.
    func inReadTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        try beginReading()
        defer { endReading() }
        return try body()
    }

    /// Begins a transaction in which all reads see the same state of the file.
    func beginReading() throws { try cachedStatement(sql: SQL.beginRead).execute() }

    /// Ends the transaction, also in a cancelled task, in which GRDB refuses to commit.
    func endReading() {
        do {
            try cachedStatement(sql: SQL.commit).execute()
        } catch {
            try? rollback()
        }
    }
}
