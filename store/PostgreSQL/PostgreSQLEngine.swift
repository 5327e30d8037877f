package import DocumentStore
import Foundation
package import Logging
import Signals
import Synchronization

/// Databases of documents on a PostgreSQL server, which several engines, in several processes, share. It is open until
/// ``close()``.
package final class PostgreSQLEngine: Sendable {
    let configuration: PostgreSQLStoreConfiguration
    let pool: ConnectionThreadPool
    let feed: ChangeFeed
    package let unreadable: UnreadableDocuments
    let results: ResultConnections<ServerResultConnection>
    private let committers = Mutex<[DatabaseID: DatabaseCommitter]>([:])
    private let closed = Mutex(false)
    let member: DatabaseMember?
    private let poller: Task<Void, Never>
    private let sweeper: Task<Void, Never>
    let notices: ChangeNotices?
    /// The caches of the gateway's own documents.
    private let caches = DocumentCaches()
    private let monitor: CommitMonitor

    /// Connects to the server, and creates the tables if they are missing.
    ///
    /// - Throws: `UNAVAILABLE` if the server cannot be reached; `FAILED_PRECONDITION` if a newer version or a build
    ///   before 0.1.0 made its tables.
    package init(_ configuration: PostgreSQLStoreConfiguration, logger: Logger) throws(StoreError) {
        self.configuration = configuration
        monitor = CommitMonitor(logger: logger)
        unreadable = UnreadableDocuments(logger: logger)
        pool = ConnectionThreadPool(configuration)
        results = ResultConnections(lifetime: configuration.resultLifetime) { ServerResultConnection(configuration) }
        notices =
            configuration.notifies
            ? ChangeNotices(configuration, sender: "\(UInt64.random(in: 0 ... .max))") : nil
        do {
            let connection = try Connection(configuration)
            try ServerSchema.prepare(connection)
            let indexes = IndexBuilder(connection: connection, logger: logger)
            try indexes.make(configuration.fieldIndexes)
            try indexes.makeAutomatic(where: configuration.indexesFields, declared: configuration.fieldIndexes)
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

    private static let sweepInterval = Duration.seconds(60)
    private static let noticeInterval = Duration.milliseconds(20)

    /// Looks for the commits of other engines, at intervals and after notices, until it is cancelled.
    private static func poller(
        _ pool: ConnectionThreadPool, _ feed: ChangeFeed, _ notices: ChangeNotices?,
        _ configuration: PostgreSQLStoreConfiguration
    ) -> Task<Void, Never> {
        let loop = WorkLoop(clock: .continuous)
        notices?.start(while: { feed.isHeard }, loop.notify)
        // Because an engine is open from its creation on, and no task of its caller's runs that long. `close()` and
        // `deinit` end this one.
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
        _ pool: ConnectionThreadPool, _ configuration: PostgreSQLStoreConfiguration
    ) -> Task<Void, Never> {
        // Because no task of the caller's runs as long, as for the one above.
        Task {
            while (try? await Task.sleep(for: sweepInterval)) != nil {
                // The next turn does what this one could not.
                try? await pool.run { connection in
                    // The clocks of gateways may differ.
                    let server = try connection.run(ServerSQL.now).integer(0, 0) ?? 0
                    let now = configuration.clock?() ?? Timestamp(microseconds: server)
                    try ChangeSweeper.sweep(before: StateAge.oldestKept(at: now), connection)
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

    /// Returns a new cache for the gateway's documents below a root collection. It lives as long as the engine. Its
    /// answers count only with a commit, as other gateways may change the documents at any time.
    ///
    /// - Parameters:
    ///   - root: the id of the root collection.
    ///   - mostBytes: the bound of its memory.
    package func cache(of root: String, mostBytes: Int = DocumentCache.usualBytes) -> DocumentCache {
        let cache = DocumentCache(of: root, in: .gateway, mostBytes: mostBytes, isShared: true)
        caches.add(cache)
        return cache
    }

    /// The period of the commits to the gateway's documents; `nil` before the first one, and if other gateways are
    /// known to commit too.
    package var period: CommitPeriod? {
        guard member?.hasOthers != true else { return nil }
        return committers.withLock { $0[.gateway] }?.period
    }

    private func committer(of database: DatabaseID) -> DatabaseCommitter {
        committers.withLock { committers in
            if let committer = committers[database] { return committer }
            let committer = DatabaseCommitter(
                database, pool, configuration, member, notices, feed, database == .gateway ? caches : nil, monitor)
            committers[database] = committer
            return committer
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

    /// The place of this engine among those that share the databases, unless it only visits them.
    package var membership: (any Membership)? { member }

    /// `nil`, because the files are the server's.
    package var watchedFiles: (any WatchedFiles)? { nil }
}

extension PostgreSQLEngine: StoreEngine {
    package var isClosed: Bool { closed.withLock(\.self) }

    package func submit(_ commit: PendingCommit) {
        do throws(StoreError) {
            try commit.work.validatePaths()
            guard !isClosed else { throw StoreError.closed }
            committer(of: commit.database).commit(commit)
        } catch {
            commit.completion(.failure(error))
        }
    }

    /// Returns a listener, also for the changes by other gateways.
    package func listener(to database: DatabaseID) -> ChangeListener {
        defer { notices?.want() }
        return feed.listener(to: database)
    }

    package func add(_ watcher: Watcher) {
        feed.watchers.add(watcher)
        notices?.want()
    }

    package func readTime(of database: DatabaseID) -> Timestamp { feed.readTime(of: database) }

    /// Returns the time of the server's clock.
    package func clockTime() async throws(StoreError) -> Timestamp {
        if let clock = configuration.clock { return clock() }
        return try await pool.run {
            try $0.run(ServerSQL.now).integer(0, 0).map { Timestamp(microseconds: $0) } ?? .now
        }
    }

    package func lastTimes(of database: DatabaseID) async throws(StoreError) -> LastTimes {
        try await pool.run { connection in
            let row = DatabaseRow(try connection.run(ServerSQL.selectDatabase, database.parameters))
            return LastTimes(commit: row?.lastCommit ?? .distantPast, change: row?.lastChange ?? .distantPast)
        }
    }

    /// The time of the earliest state of which no change has been deleted because of its age.
    var oldestKept: Timestamp { StateAge.oldestKept(at: configuration.clock?() ?? .now) }
}

extension PendingCommit.Work {
    /// Checks the paths of the documents to write.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one is too long.
    fileprivate func validatePaths() throws(StoreError) {
        guard case .writes(let writes, _) = self else { return }
        for write in writes { try write.validatePath() }
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
