import GRDB
public import Logging

/// A SQLite file with databases of documents, open until ``close()`` or until this object is released.
///
/// Only one engine can have a file open at a time, in this process or another; `store/DESIGN.md` has the reason.
public final class SQLiteEngine: Sendable {
    let pool: DatabasePool
    private let inPlace: InPlaceReaders
    let results: ResultConnections<FileResultConnection>
    private let checkpointer: Checkpointer
    let configuration: SQLiteStoreConfiguration
    let watchers = Watchers()
    let listeners = ChangeListeners()
    let caches = DocumentCaches()
    let lastChanges: LastChanges
    let sweeper: Sweeper
    let committer: Committer
    let numbers = DatabaseNumbers()
    let slots: IndexSlots
    package let unreadable: UnreadableDocuments
    private let files: FileCheck
    private let file: DatabaseFile
    private let logger: Logger

    /// Opens the file, creates it if it is missing, and updates its tables and indexes.
    ///
    /// - Throws: `UNAVAILABLE` if the file cannot be opened, or is open in another engine; `FAILED_PRECONDITION` if a
    ///   newer version, a build before 0.1.0 or another program wrote it; `DATA_LOSS` if it is damaged.
    public init(_ configuration: SQLiteStoreConfiguration, logger: Logger) throws(StoreError) {
        self.configuration = configuration
        self.logger = logger
        unreadable = UnreadableDocuments(logger: logger)
        file = try DatabaseFile(path: configuration.path)
        do {
            (pool, slots) = try Connections.open(configuration, logger)
            inPlace = try InPlaceReaders(configuration)
            results = ResultConnections(lifetime: configuration.resultLifetime) {
                try FileResultConnection(configuration)
            }
            files = FileCheck(
                path: configuration.path, file, pageSize: try pool.read { try Int.fetchOne($0, sql: SQL.pageSize) ?? 0 }
            )
            checkpointer = try Checkpointer(path: configuration.path, files, logger: logger)
            pool.writeWithoutTransaction(checkpointer.attach)
            sweeper = Sweeper(pool, configuration, checkpointer: checkpointer, logger: logger)
            let lastCommit = try pool.read(SQLStatements.lastCommit)
            lastChanges = LastChanges(
                opened: lastCommit ?? .distantPast, keepsVersions: configuration.keepsVersions)
            committer = try Committer(
                pool, configuration, numbers: numbers, slots: slots, lastCommit: lastCommit, lastChanges: lastChanges,
                caches: caches, checkpointer: checkpointer, logger: logger,
                didCommit: { [watchers, listeners, sweeper] changes, time in
                    watchers.notify(of: changes)
                    listeners.notify(of: changes, upTo: time)
                    if !changes.versioned.isEmpty || changes.hasOutcomes { sweeper.keepYoung() }
                    for removal in changes.removals {
                        listeners.reset(removal.database, at: time)
                        sweeper.sweep(removal.number)
                    }
                })
            try pool.writeWithoutTransaction { [checkpointer] in try checkpointer.checkFiles($0) }
            try sweeper.start()
        } catch {
            throw StoreError(wrapping: error)
        }
        logger.debug("opened the document store", metadata: ["path": "\(configuration.path)"])
    }

    /// Opens a file as ``init(_:logger:)`` does, with the defaults of ``SQLiteStoreConfiguration`` for all other
    /// settings.
    public convenience init(
        path: String, fieldIndexes: [FieldIndex] = [], logger: Logger = Logger(label: "pushgate.store")
    ) throws(StoreError) {
        try self.init(SQLiteStoreConfiguration(path: path, fieldIndexes: fieldIndexes), logger: logger)
    }

    /// Returns the store of one database. The database begins to exist with its first document.
    public func store(for database: DatabaseID) -> SQLiteDocumentStore {
        SQLiteDocumentStore(database: database, engine: self)
    }

    /// Finishes the commits that were accepted, ends the watches, and closes the file. Later calls of the engine's
    /// stores fail with `UNAVAILABLE`.
    public func close() async {
        guard committer.close() else { return }
        sweeper.close()
        watchers.finish()
        listeners.finish()
        inPlace.close()
        results.close()
        // The remains of lost files must stay as they are, for the next start and for a repair.
        guard files.loss == nil else { return }
        do {
            try await truncateLog()
            try pool.close()
            file.release()
        } catch {
            logger.warning(
                "failed to truncate the log of the document store; the next start reads it",
                metadata: ["error": "\(error)"])
        }
    }

    /// Truncates the log after all work on the writer's queue, also in a cancelled task.
    private func truncateLog() async throws {
        try await withCheckedThrowingContinuation { continuation in
            pool.asyncBarrierWriteWithoutTransaction { [checkpointer] db in
                continuation.resume(
                    with: db.flatMap { db in
                        Result {
                            try checkpointer.close()
                            _ = try db.checkpoint(.truncate)
                        }
                    })
            }
        }
    }

    /// Runs the closure in a read transaction: on the calling thread, or on a reader if it takes long there. All its
    /// reads see the same state of the file.
    ///
    /// - Parameters:
    ///   - isLong: `true` if the read is known to be too long for the calling thread.
    ///   - body: may start twice.
    func read<Answer: Sendable>(
        isLong: Bool = false, _ body: @escaping @Sendable (Database) throws -> Answer
    ) async throws(StoreError) -> Answer {
        guard !isClosed else { throw .closed }
        if !isLong, let answer = try readInPlace(body) { return answer }
        return try await readElsewhere(body)
    }

    /// Runs the closure in a read transaction on the calling thread.
    ///
    /// - Returns: `nil` if the read takes long there, or needs the disk.
    func readInPlace<Answer>(_ body: (Database) throws -> Answer) throws(StoreError) -> Answer? {
        guard !isClosed else { throw .closed }
        do {
            return try inPlace.read(body)
        } catch {
            throw StoreError(wrapping: error)
        }
    }

    /// Runs the closure on one of GRDB's readers.
    private func readElsewhere<Answer: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Answer
    ) async throws(StoreError) -> Answer {
        do {
            return try await pool.unsafeRead { db in try db.inReadTransaction { try body(db) } }
        } catch {
            throw StoreError(wrapping: error)
        }
    }

    /// The number of free bytes inside the file, left by deleted documents. Counted after a commit, at most once a
    /// second.
    public var reusableBytes: Int64 { committer.reusable.bytes }
}

extension SQLiteEngine: WatchedFiles {
    /// Looks whether the files of the database are still those at their paths, as each commit does.
    ///
    /// - Throws: `UNAVAILABLE` if one of them was removed, replaced or cut off. Then no commit is accepted any more.
    public func checkFiles() async throws(StoreError) {
        guard !isClosed else { return }
        let result = await withCheckedContinuation { continuation in
            pool.asyncWriteWithoutTransaction { [checkpointer] db in
                continuation.resume(returning: Result { () throws(StoreError) in try checkpointer.checkFiles(db) })
            }
        }
        try result.get()
    }

    /// `true` if the files of the database were lost while it was open.
    public var hasLostFiles: Bool { files.loss != nil }
}
