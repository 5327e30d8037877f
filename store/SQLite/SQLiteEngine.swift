import GRDB
public import Logging

/// A SQLite file that holds databases of documents, opened for as long as this lives or until ``close()``.
///
/// One process opens a file at a time; see `store/DESIGN.md`.
public final class SQLiteEngine: Sendable {
    let pool: DatabasePool
    private let inPlace: InPlaceReaders
    private let checkpointer: Checkpointer
    let configuration: SQLiteStoreConfiguration
    let watchers = Watchers()
    let committer: Committer
    let numbers = DatabaseNumbers()
    let slots: IndexSlots
    let unreadable: UnreadableDocuments
    private let file: DatabaseFile
    private let logger: Logger

    /// Opens the file, makes it when missing, and brings its tables and indexes up to date.
    ///
    /// - Throws: `UNAVAILABLE` when the file cannot be opened, or is open elsewhere; `FAILED_PRECONDITION` when a newer
    ///   version or another program wrote it; `DATA_LOSS` when it is damaged.
    public init(_ configuration: SQLiteStoreConfiguration, logger: Logger) throws(StoreError) {
        self.configuration = configuration
        self.logger = logger
        unreadable = UnreadableDocuments(logger: logger)
        file = try DatabaseFile(path: configuration.path)
        do {
            (pool, slots) = try Connections.open(configuration)
            inPlace = try InPlaceReaders(configuration)
            checkpointer = try Checkpointer(path: configuration.path, logger: logger)
            pool.writeWithoutTransaction(checkpointer.attach)
            let lastCommit = try pool.read(SQLStatements.lastCommit)
            let reusable = ReusablePages()
            try pool.read { try reusable.count($0, at: .now) }
            committer = Committer(
                pool: pool, numbers: numbers, slots: slots,
                maximumGroupSize: configuration.maximumGroupSize, now: configuration.clock, lastCommit: lastCommit,
                reusable: reusable, checkpointer: checkpointer, logger: logger,
                didCommit: { [watchers] in watchers.notify(of: $0) })
        } catch {
            throw StoreError(wrapping: error)
        }
        logger.debug("opened the document store", metadata: ["path": "\(configuration.path)"])
    }

    /// As ``init(_:logger:)``, with every setting at its default but those given.
    public convenience init(
        path: String, fieldIndexes: [FieldIndex] = [], logger: Logger = Logger(label: "pushgate.store")
    ) throws(StoreError) {
        try self.init(SQLiteStoreConfiguration(path: path, fieldIndexes: fieldIndexes), logger: logger)
    }

    /// The documents of one database; it comes into being with its first document.
    public func store(for database: DatabaseID) -> SQLiteDocumentStore {
        SQLiteDocumentStore(database: database, engine: self)
    }

    /// Finishes the commits that were asked for, ends the watches, and closes the file. Later calls of its stores fail
    /// with `UNAVAILABLE`.
    public func close() async {
        guard committer.close() else { return }
        watchers.finish()
        inPlace.close()
        do {
            try await truncateLog()
            try pool.close()
            file.release()
        } catch {
            logger.warning(
                "closing the document store left its log behind; the next start reads it",
                metadata: ["error": "\(error)"])
        }
    }

    /// Runs after all that is on the writer's queue, also in a task that was cancelled.
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

    var isClosed: Bool { committer.isClosed }

    /// - Parameter completion: called on the writer, when the commit is on the disk or has failed; or at once if the writes
    ///   cannot be.
    func commit(
        _ writes: [Write], in database: DatabaseID,
        completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        do throws(StoreError) {
            var keyed: [KeyedWrite] = []
            keyed.reserveCapacity(writes.count)
            for write in writes { keyed.append(try KeyedWrite(write)) }
            committer.commit(PendingCommit(database: database, writes: keyed, completion: completion))
        } catch {
            completion(.failure(error))
        }
    }

    /// Runs where it is asked for, or on a reader if it takes long there: everything in the closure sees one state of the
    /// file.
    ///
    /// - Parameters:
    ///   - isLong: whether it is known to be too long for that.
    ///   - body: may be begun twice.
    func read<Answer: Sendable>(
        isLong: Bool = false, _ body: @escaping @Sendable (Database) throws -> Answer
    ) async throws(StoreError) -> Answer {
        guard !isClosed else { throw .closed }
        do {
            if !isLong, let answer = try inPlace.read(body) { return answer }
        } catch {
            throw StoreError(wrapping: error)
        }
        return try await readElsewhere(body)
    }

    /// Runs on a reader.
    private func readElsewhere<Answer: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Answer
    ) async throws(StoreError) -> Answer {
        do {
            return try await pool.unsafeRead { db in try db.inReadTransaction { try body(db) } }
        } catch {
            throw StoreError(wrapping: error)
        }
    }

    /// The bytes inside the file that deleted documents have left, as of a second ago or of the last commit.
    public var reusableBytes: Int64 { committer.reusable.bytes }

    /// The time of a commit that reads which begin now see, with all before it.
    var readTime: Timestamp { committer.readTime }
}
