package import DocumentStore
import Foundation
package import Logging
import Signals
import Synchronization

/// Databases of documents on a PostgreSQL server, which several engines, in several processes, share. It is open until
/// ``close()``.
package final class PostgreSQLEngine: Sendable {
    let configuration: PostgreSQLStoreConfiguration
    let pool: ConnectionPool
    let feed: ChangeFeed
    package let unreadable: UnreadableDocuments
    let results: ResultConnections<ServerResultConnection>
    private let committers = Mutex<[DatabaseID: DatabaseCommitter]>([:])
    private let closed = Mutex(false)
    let member: DatabaseMember?
    private let poller: Task<Void, Never>
    private let sweeper: Task<Void, Never>
    let notices: ChangeNotices?
    private let monitor: CommitMonitor

    /// Connects to the server, creates the tables if they are missing, and changes those of an earlier version.
    ///
    /// - Throws: `UNAVAILABLE` if the server cannot be reached; `FAILED_PRECONDITION` if a newer version made its
    ///   tables, or if they are to be changed and gateways of an earlier version use them.
    package init(_ configuration: PostgreSQLStoreConfiguration, logger: Logger) throws(StoreError) {
        self.configuration = configuration
        monitor = CommitMonitor(logger: logger)
        unreadable = UnreadableDocuments(logger: logger)
        pool = ConnectionPool(configuration)
        results = ResultConnections(lifetime: configuration.resultLifetime) { ServerResultConnection(configuration) }
        notices =
            configuration.notifies
            ? ChangeNotices(configuration, sender: "\(UInt64.random(in: 0 ... .max))") : nil
        do {
            let connection = try Connection(configuration)
            try ServerSchema.prepare(connection)
            let indexes = IndexBuilder(connection: connection, logger: logger)
            let lease = configuration.leaseLength
            try ServerNameUpgrade(connection: connection, indexes: indexes, leaseLength: lease).run()
            try indexes.make(configuration.fieldIndexes)
            try indexes.makeAutomatic(where: configuration.indexesFields)
            let (opened, databases) = try Self.databases(connection)
            feed = ChangeFeed(
                databases, opened: configuration.clock?().adding(.microseconds(-1)) ?? opened, logger: logger)
            member =
                configuration.isMember ? try DatabaseMember(configuration, connection, pool, logger: logger) : nil
        } catch {
            pool.close()
            throw StoreError(wrapping: error)
        }
        member?.start()
        poller = Self.poller(pool, feed, notices, configuration)
        sweeper = Self.sweeper(pool, configuration)
    }

    /// Ends what an engine that was not closed has begun, as after a start that failed.
    deinit {
        poller.cancel()
        sweeper.cancel()
        notices?.end()
        member?.end()
        results.close()
        pool.close()
    }

    /// Looks for the commits of other engines, at intervals and after notices, until it is cancelled.
    private static func poller(
        _ pool: ConnectionPool, _ feed: ChangeFeed, _ notices: ChangeNotices?,
        _ configuration: PostgreSQLStoreConfiguration
    ) -> Task<Void, Never> {
        let loop = WorkLoop(clock: .continuous)
        notices?.start(while: { feed.isHeard }, loop.notify)
        return Task {
            await loop.run {
                // The next turn does what this one could not.
                try? await pool.run { connection in try feed.poll(connection) }
                // One look for all notices of this time.
                try? await Task.sleep(for: noticeInterval)
                return .untilWork(atMost: configuration.pollInterval)
            }
        }
    }

    /// Deletes rows that are too old, once a minute, until it is cancelled.
    private static func sweeper(
        _ pool: ConnectionPool, _ configuration: PostgreSQLStoreConfiguration
    ) -> Task<Void, Never> {
        Task {
            while (try? await Task.sleep(for: sweepInterval)) != nil {
                // The next turn does what this one could not.
                try? await pool.run { connection in
                    // The clocks of gateways may differ.
                    let server = try connection.run(ServerSQL.now).integer(0, 0) ?? 0
                    let now = configuration.clock?() ?? Timestamp(microseconds: server)
                    try ChangeSweeper.sweep(before: now.adding(.zero - keptAge), connection)
                }
            }
        }
    }

    private static func databases(
        _ connection: Connection
    ) throws -> (Timestamp, [(DatabaseID, Int64, Timestamp)]) {
        let now = try connection.run(ServerSQL.now).integer(0, 0).map { Timestamp(microseconds: $0) } ?? .now
        let rows = try connection.run(ServerSQL.selectCommits)
        let databases = (0..<rows.count).compactMap { row -> (DatabaseID, Int64, Timestamp)? in
            guard let project = rows.text(row, 0), let name = rows.text(row, 1), let last = rows.integer(row, 2),
                let number = rows.integer(row, 3)
            else { return nil }
            return (DatabaseID(project: project, database: name), number, Timestamp(microseconds: last))
        }
        return (now, databases)
    }

    /// Returns the store of one database. The database begins to exist with its first document.
    package func store(for database: DatabaseID) -> PostgreSQLDocumentStore {
        PostgreSQLDocumentStore(database: database, engine: self)
    }

    /// Finishes the commits that were accepted, and ends the watches and the connections. Later calls of the engine's
    /// stores fail with `UNAVAILABLE`.
    package func close() async {
        guard
            closed.withLock({ isClosed in
                defer { isClosed = true }
                return !isClosed
            })
        else { return }
        poller.cancel()
        sweeper.cancel()
        notices?.end()
        for committer in committers.withLock({ Array($0.values) }) { await committer.finish() }
        feed.finish()
        results.close()
        await member?.close()
        pool.close()
    }

    /// The place of this engine among those that share the databases, unless it only visits them.
    public var membership: (any Membership)? { member }

    var isClosed: Bool { closed.withLock(\.self) }

    func readTime(of database: DatabaseID) -> Timestamp { feed.readTime(of: database) }

    // MARK: Commits

    /// Checks the writes, and queues them as one commit.
    func commit(
        _ writes: [Write], with options: CommitOptions, in database: DatabaseID,
        completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        do throws(StoreError) {
            let keyed = try KeyedWrite.keyed(writes, allowing: options.values)
            for write in keyed { try write.validatePath() }
            commit(.writes(keyed, options), to: database, completion)
        } catch {
            completion(.failure(error))
        }
    }

    /// Queues the question for the outcome of a transaction behind the commits that are under way.
    func outcome(
        of identity: CommitIdentity, in database: DatabaseID,
        completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        commit(.outcome(identity), to: database, completion)
    }

    private func commit(
        _ work: PendingCommit.Work, to database: DatabaseID,
        _ completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        guard !isClosed else { return completion(.failure(.closed)) }
        committer(of: database).commit(PendingCommit(database: database, work: work, completion: completion))
    }

    private func commit(_ work: PendingCommit.Work, to database: DatabaseID) async throws(StoreError) -> CommitResult {
        let result = await withCheckedContinuation { continuation in
            commit(work, to: database) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private func committer(of database: DatabaseID) -> DatabaseCommitter {
        committers.withLock { committers in
            if let committer = committers[database] { return committer }
            let committer = DatabaseCommitter(
                database, pool, configuration, member, notices, feed, monitor)
            committers[database] = committer
            return committer
        }
    }

    // MARK: Times

    /// The age at which states become unreadable, and the greatest age of changes.
    private static let (readableAge, keptAge) = (Duration.seconds(60 * 60), Duration.seconds(70 * 60))
    private static let sweepInterval = Duration.seconds(60)
    private static let noticeInterval = Duration.milliseconds(20)

    private var now: Timestamp { configuration.clock?() ?? .now }

    /// The time of the earliest state of which no change has been deleted because of its age.
    var oldestKept: Timestamp { now.adding(.zero - Self.keptAge) }

    /// Returns the present time, once no later commit can have a time that is not after it.
    func presentTime(of database: DatabaseID) async throws(StoreError) -> Timestamp {
        let now = try await serverTime()
        _ = try await commit(.moment(now), to: database)
        return max(now, readTime(of: database))
    }

    /// Waits until no later commit has a time that is not after the given one, so that the state at this time is
    /// complete.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the time is in the future; `FAILED_PRECONDITION` if it is too long ago.
    func settle(_ database: DatabaseID, at time: Timestamp) async throws(StoreError) {
        let now = try await serverTime()
        let (last, change) = try await lastTimes(of: database)
        guard time <= max(now, last) else {
            throw StoreError(.invalidArgument, "The requested 'read_time' cannot be in the future.")
        }
        // The present state may be of any age.
        guard time >= change || time >= now.adding(.zero - Self.readableAge) else { throw .tooOld }
        if time > last { _ = try await commit(.moment(time), to: database) }
    }

    private func serverTime() async throws(StoreError) -> Timestamp {
        if let clock = configuration.clock { return clock() }
        return try await pool.run {
            try $0.run(ServerSQL.now).integer(0, 0).map { Timestamp(microseconds: $0) } ?? .now
        }
    }

    /// Returns the times of the last commit and of the last change.
    private func lastTimes(of database: DatabaseID) async throws(StoreError) -> (Timestamp, Timestamp) {
        try await pool.run { connection in
            let row = DatabaseRow(try connection.run(ServerSQL.selectDatabase, database.parameters))
            return (row?.lastCommit ?? .distantPast, row?.lastChange ?? .distantPast)
        }
    }
}

extension PostgreSQLEngine: DocumentEngine {
    /// Returns the store of one database. The function of the same name that returns a ``PostgreSQLDocumentStore``
    /// comes first where both fit.
    @_disfavoredOverload
    package func store(for database: DatabaseID) -> any DocumentStore {
        PostgreSQLDocumentStore(database: database, engine: self)
    }

    /// Returns the databases that contain documents, in the order of their names.
    package func databases() async throws(StoreError) -> [DatabaseID] {
        guard !isClosed else { throw .closed }
        return try await pool.run { connection in
            let rows = try connection.run(ServerSQL.selectDatabases)
            return (0..<rows.count).map { row in
                DatabaseID(project: rows.text(row, 0) ?? "", database: rows.text(row, 1) ?? "")
            }
        }
    }

    /// Removes all documents of a database in one commit of constant size: the database gets another number.
    package func removeAll(from database: DatabaseID) async throws(StoreError) {
        _ = try await commit(.removal, to: database)
    }
}

extension KeyedWrite {
    /// Checks the path of a document to write.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is too long.
    fileprivate func validatePath() throws(StoreError) {
        guard key.size > ColumnLimits.path, write.write.operation.writesDocument else { return }
        throw StoreError(
            .invalidArgument,
            "the document \(path.brief) has a path of \(key.size) bytes: at most \(ColumnLimits.path) are allowed in a "
                + "database on PostgreSQL")
    }
}

/// Functions for tests and measurements.
extension PostgreSQLEngine {
    /// Deletes the rows that nobody can read any longer.
    package func sweep() async throws(StoreError) {
        let oldest = oldestKept
        try await pool.run { connection in try ChangeSweeper.sweep(before: oldest, connection) }
    }

    /// Returns the first column of the rows of a statement, as text.
    package func texts(_ sql: String) async throws(StoreError) -> [String] {
        try await pool.run { connection in
            let rows = try connection.run(sql)
            return (0..<rows.count).map { rows.text($0, 0) ?? "" }
        }
    }

    /// Runs statements on a connection of their own.
    package static func run(_ sql: String, at url: String) throws {
        try Connection(PostgreSQLStoreConfiguration(url: url)).run(script: sql)
    }
}
