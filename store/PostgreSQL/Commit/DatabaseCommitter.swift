import DocumentStore
import Foundation
import Logging

/// A writer of the commits of one database in groups: one transaction for all commits that arrived while the group
/// before was written. Each commit has its own result.
///
/// A transaction begins with a lock on the database's row, which it keeps until its end. So the commits of all gateways
/// follow each other, their times rise in this order, and whoever sees a commit sees all earlier ones.
final class DatabaseCommitter: Sendable {
    /// The number of attempts for a group with which another transaction interferes, or whose connection is lost.
    private static let mostAttempts = 8

    /// A group whose transaction may have been committed.
    private struct SentCommit {
        let results: [Result<CommitResult, StoreError>]
        /// The time of the commit before it.
        let previous: Timestamp
    }

    private let database: DatabaseID
    private let queue = CommitQueue()
    private let pool: ConnectionPool
    private let configuration: PostgreSQLStoreConfiguration
    private let feed: ChangeFeed
    private let logger: Logger

    init(
        _ database: DatabaseID, _ pool: ConnectionPool, _ configuration: PostgreSQLStoreConfiguration, feed: ChangeFeed,
        logger: Logger
    ) {
        self.database = database
        self.pool = pool
        self.configuration = configuration
        self.feed = feed
        self.logger = logger
    }

    func commit(_ commit: PendingCommit) {
        let isQueued = queue.append(commit) {
            pool.submit { [self] slot in
                drain(slot)
            } refused: {
                failAll()
            }
        }
        if !isQueued { commit.completion(.failure(.closed)) }
    }

    /// Rejects commits from now on. Those already accepted are in the queue of the pool.
    func close() { _ = queue.close() }

    private func failAll() {
        while let group = queue.nextGroup(maximumSize: .max) {
            for commit in group { commit.completion(.failure(.closed)) }
        }
    }

    private func drain(_ slot: ConnectionSlot) {
        while let group = queue.nextGroup(maximumSize: max(1, configuration.maximumGroupSize)) { write(group, slot) }
    }

    private func write(_ group: [PendingCommit], _ slot: ConnectionSlot) {
        do {
            let results = try results(of: group, slot)
            for (commit, result) in zip(group, results) { commit.completion(result) }
        } catch {
            let error = StoreError(wrapping: error)
            if error.code != .aborted {
                logger.error(
                    "failed to write to the document store",
                    metadata: ["commits": "\(group.count)", "error": "\(error)"])
            }
            for commit in group { commit.completion(.failure(error)) }
        }
    }

    private func results(
        of group: [PendingCommit], _ slot: ConnectionSlot
    ) throws -> [Result<CommitResult, StoreError>] {
        var attempt = 1
        while true {
            let token = Int64.random(in: .min ... .max)
            var sent: SentCommit?
            do {
                let connection = try slot.ready().connection
                do {
                    return try transaction(group, connection, token) { sent = $0 }
                } catch let error as PostgreSQLError where error.isLost || error.isConflict {
                    if connection.isAlive { try? connection.run(script: "ROLLBACK") }
                    if let sent, error.isLost, try wasCommitted(sent, token, try slot.ready().connection) {
                        return sent.results
                    }
                    guard attempt < Self.mostAttempts else { throw error }
                    Thread.sleep(forTimeInterval: Double.random(in: 0...0.002) * Double(1 << attempt))
                } catch {
                    try? connection.run(script: "ROLLBACK")
                    throw error
                }
            }
            attempt += 1
        }
    }

    /// Writes a group of commits.
    ///
    /// - Parameter willCommit: called with the results before the transaction is committed.
    private func transaction(
        _ group: [PendingCommit], _ connection: Connection, _ token: Int64,
        willCommit: (SentCommit) -> Void
    ) throws -> [Result<CommitResult, StoreError>] {
        var (work, now) = try begin(group, connection)
        if let clock = configuration.clock { now = clock() }
        var results: [Result<CommitResult, StoreError>] = []
        for commit in group { results.append(try work.apply(commit.work, at: now)) }
        guard work.isApplied else {
            try connection.run(script: "ROLLBACK")
            return results
        }
        willCommit(SentCommit(results: results, previous: work.before.lastCommit))
        _ = try connection.run(work.statements(token: token) + [Call("COMMIT")])
        feed.committed(work.changed, to: database, after: work.before, at: work.row, connection)
        return results
    }

    /// Begins a transaction with a lock on the database's row, which is created if it is missing.
    private func begin(
        _ group: [PendingCommit], _ connection: Connection
    ) throws -> (group: CommitGroup, now: Timestamp) {
        var paths: Set<DocumentPath> = []
        var keys: [RowKey] = []
        for commit in group {
            guard case .writes(let writes, _) = commit.work else { continue }
            for write in writes where paths.insert(write.path).inserted { keys.append(write.key) }
        }
        let source = StateSource(database: database, time: nil)
        let calls = [
            Call("BEGIN ISOLATION LEVEL READ COMMITTED"), Call(ServerSQL.lockDatabase, database.parameters),
            Call(ServerSQL.now),
            source.documents(at: keys),
        ]
        var rows = try connection.run(calls)
        if DatabaseRow(rows[1]) == nil {
            let now = rows[2].integer(0, 0).map { Timestamp(microseconds: $0) } ?? .now
            try create(at: configuration.clock?() ?? now, connection)
            rows = [rows[0]] + (try connection.run(Array(calls.dropFirst())))
        }
        guard let row = DatabaseRow(rows[1]) else {
            throw StoreError(.unavailable, "the row of a database was removed meanwhile")
        }
        let now = rows[2].integer(0, 0).map { Timestamp(microseconds: $0) } ?? .now
        return (CommitGroup(database, row, rows[3].storedByPath(), configuration, connection), now)
    }

    private func create(at now: Timestamp, _ connection: Connection) throws {
        // The first commit is later than the state before it.
        let last = now.adding(.microseconds(-1))
        let since: Parameter =
            configuration.keepsVersions(database) ? .integer(Timestamp.distantPast.microseconds) : .null
        _ = try connection.run(ServerSQL.insertDatabase, database.parameters + [.integer(last.microseconds), since])
    }

    /// Returns `true` if a transaction whose connection was lost has been committed. It waits until the server has ended
    /// the transaction.
    private func wasCommitted(_ sent: SentCommit, _ token: Int64, _ connection: Connection) throws -> Bool {
        let parameters = database.parameters + [.integer(sent.previous.microseconds), .integer(token)]
        let rows = try connection.run([
            Call("BEGIN"), Call(ServerSQL.lockDatabase, database.parameters), Call(ServerSQL.selectToken, parameters),
            Call("ROLLBACK"),
        ])
        return rows[2].count > 0
    }
}
