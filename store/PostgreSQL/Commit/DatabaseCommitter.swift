import DocumentStore
import Foundation
import Synchronization

/// A writer of the commits of one database in groups: one transaction for all commits that arrived while the group
/// before was written. Each commit has its own result.
///
/// A transaction begins with a lock on the database's row, which it keeps until its end. So the commits of all gateways
/// follow each other, their times rise in this order, and a reader of one commit sees all earlier ones.
final class DatabaseCommitter: Sendable {
    /// The group sizes after which the writer pauses, as SQLite's does, so that the next group grows. Each group costs
    /// the server a dozen statements and a flush. Larger groups do not need the pause.
    private static let crowd = 4..<16
    /// The pause in seconds.
    private static let pause = 0.0003
    /// The time in which the outcome of a lost transaction is asked for.
    private static let timeToAsk = Duration.seconds(5)

    /// A group whose transaction may have been committed.
    private struct SentCommit {
        let results: [Result<CommitResult, StoreError>]
        /// The time of the commit before it.
        let previous: Timestamp
    }

    /// A transaction that has locked the database's row.
    private struct LockedRow {
        let row: DatabaseRow
        let connection: Connection
    }

    private let database: DatabaseID
    private let queue = CommitQueue()
    private let pool: ConnectionThreadPool
    private let configuration: PostgreSQLStoreConfiguration
    private let member: DatabaseMember?
    private let notices: ChangeNotices?
    private let feed: ChangeFeed
    private let monitor: CommitMonitor
    /// The declared indexes as of the last transaction.
    private let indexes = Mutex(DeclaredIndexes.none)
    private let written = Mutex(WrittenDocuments())
    /// The caches of the database's documents; `nil` if there can be none.
    private let caches: DocumentCaches?

    init(
        _ database: DatabaseID, _ pool: ConnectionThreadPool, _ configuration: PostgreSQLStoreConfiguration,
        _ member: DatabaseMember?, _ notices: ChangeNotices?, _ feed: ChangeFeed, _ caches: DocumentCaches?,
        _ monitor: CommitMonitor
    ) {
        self.database = database
        self.pool = pool
        self.configuration = configuration
        self.member = member
        self.notices = notices
        self.feed = feed
        self.caches = caches
        self.monitor = monitor
    }

    func commit(_ commit: PendingCommit) {
        let isQueued = queue.append(commit) {
            pool.submit { [self] slot in
                drain(slot)
            } refused: {
                // Not here, where the queue is locked.
                DispatchQueue.global().async { self.failAll() }
            }
        }
        if !isQueued { commit.completion(.failure(.closed)) }
    }

    /// The period of the last group.
    var period: CommitPeriod { written.withLock(\.period) }

    /// Waits for the commits that were accepted, and rejects others from now on.
    func finish() async {
        await withCheckedContinuation { continuation in
            commit(PendingCommit(database: database, work: .moment(.distantPast)) { _ in continuation.resume() })
        }
        _ = queue.close()
    }

    private func failAll() {
        while let group = queue.nextGroup(maximumSize: .max) {
            for commit in group { commit.completion(.failure(.closed)) }
        }
    }

    private func drain(_ slot: ConnectionSlot) {
        while true {
            let start = ContinuousClock.now
            // While this one waits for other gateways, more commits join the group.
            let locked = member?.hasOthers == true && queue.count > 0 ? try? lock(slot) : nil
            guard let group = queue.nextGroup(maximumSize: max(1, configuration.maximumGroupSize)) else { return }
            let count = write(group, slot, locked, since: start)
            queue.putBack(group, after: count)
            if Self.crowd.contains(group.count) { Thread.sleep(forTimeInterval: Self.pause) }
        }
    }

    /// Writes the commits of a group, as many as the time allows.
    ///
    /// - Returns: the number of commits that have their results.
    private func write(
        _ group: [PendingCommit], _ slot: ConnectionSlot, _ locked: LockedRow?, since start: ContinuousClock.Instant
    ) -> Int {
        do {
            return monitor.complete(group, with: try results(of: group, slot, locked), since: start)
        } catch {
            return monitor.fail(group, with: StoreError(wrapping: error), since: start)
        }
    }

    private func results(
        of group: [PendingCommit], _ slot: ConnectionSlot, _ locked: LockedRow?
    ) throws -> [Result<CommitResult, StoreError>] {
        var (attempts, locked) = (Attempts(), locked)
        var isTolerant = false
        while true {
            let token = Int64.random(in: .min ... .max)
            var sent: SentCommit?
            do {
                let connection = try locked?.connection ?? slot.ready().connection
                do {
                    defer { locked = nil }
                    return try transaction(group, connection, locked?.row, token, isTolerant) { sent = $0 }
                } catch let error as PostgreSQLError where error.isDuplicate && !isTolerant {
                    if connection.isAlive { try? connection.run(script: "ROLLBACK") }
                    // Another program has written what this one takes for absent.
                    written.withLock { $0.forget() }
                    isTolerant = true
                } catch let error as PostgreSQLError where error.isLost || error.isConflict {
                    if connection.isAlive { try? connection.run(script: "ROLLBACK") }
                    if let sent, error.isLost, try wasCommitted(sent, token, slot) {
                        return sent.results
                    }
                    guard attempts.wait() else { throw error }
                    pool.metrics.retry(after: error)
                } catch {
                    try? connection.run(script: "ROLLBACK")
                    throw error
                }
            }
        }
    }

    /// Writes a group of commits.
    ///
    /// - Parameters:
    ///   - row: the database's row if the transaction has begun, and has locked it.
    ///   - isTolerant: `true` after an attempt that has found rows which were to be inserted.
    ///   - willCommit: called with the results before the transaction is committed.
    private func transaction(
        _ group: [PendingCommit], _ connection: Connection, _ row: DatabaseRow?, _ token: Int64, _ isTolerant: Bool,
        willCommit: (SentCommit) -> Void
    ) throws -> [Result<CommitResult, StoreError>] {
        var (work, now, isHeard) = try begin(group, connection, row, readsAll: isTolerant)
        let end = ContinuousClock.now + configuration.maximumGroupTime
        if let clock = configuration.clock { now = clock() }
        let period = period(at: work.before)
        var results: [Result<CommitResult, StoreError>] = []
        for commit in group where results.isEmpty || ContinuousClock.now < end {
            if let refusal = commit.refusal(in: period) {
                results.append(.failure(refusal))
            } else {
                results.append(try work.apply(commit.work, at: now))
            }
        }
        guard work.isApplied else {
            try connection.run(script: "ROLLBACK")
            return results
        }
        willCommit(SentCommit(results: results, previous: work.before.lastCommit))
        let statements = work.statements(token: token, isTolerant: isTolerant)
        let notice = isHeard && !work.changed.isEmpty ? self.notice : []
        caches?.willChange(work.changed)
        // Also if the connection is lost: the period ends with the next group if the server has committed this one.
        defer { caches?.didChange() }
        _ = try connection.run(statements + notice + [Call("COMMIT")])
        // Clients can name any number of databases, so those of theirs are not kept.
        if database == .gateway { written.withLock { $0.didCommit(work, token: token) } }
        feed.committed(work.changed, to: database, after: work.before, at: work.row, connection)
        return results
    }

    /// Returns the period of a group. Another one begins with the group if others have committed before it, and it is
    /// not known what.
    ///
    /// - Parameter row: the row as the group has locked it.
    private func period(at row: DatabaseRow) -> CommitPeriod {
        let (new, period) = written.withLock { ($0.newPeriod(at: row), $0.period) }
        if let new { caches?.begin(new, afterChangesAt: nil) }
        return period
    }

    /// The statement that tells other engines of changes, if this one does.
    private var notice: [Call] { notices.map { [Call(Connection.notify, [.text($0.sender)])] } ?? [] }

    /// Begins a transaction with a lock on the database's row. Returns `nil` if there is none.
    private func lock(_ slot: ConnectionSlot) throws -> LockedRow? {
        let connection = try slot.ready().connection
        do {
            if let row = DatabaseRow(try connection.run(lockCalls)[1]) {
                return LockedRow(row: row, connection: connection)
            }
            try connection.run(script: "ROLLBACK")
            return nil
        } catch {
            if connection.isAlive { try? connection.run(script: "ROLLBACK") }
            throw error
        }
    }

    private var lockCalls: [Call] {
        [Call("BEGIN ISOLATION LEVEL READ COMMITTED"), Call(ServerSQL.lockDatabase, database.parameters)]
    }

    /// Begins a transaction with a lock on the database's row, which is created if it is missing, and reads the
    /// documents that the commits name, unless the last groups have written them, or a commit only creates one: the
    /// insertion fails if it is there, and the group is repeated with all that it reads.
    ///
    /// - Parameters:
    ///   - locked: the row if that has been done.
    ///   - readsAll: `true` to read those too.
    /// - Returns: the group, the present time, and `true` if other engines wait for notices.
    private func begin(
        _ group: [PendingCommit], _ connection: Connection, _ locked: DatabaseRow?, readsAll: Bool
    ) throws -> (group: CommitGroup, now: Timestamp, isHeard: Bool) {
        // Clients may create what is there as often as they like, so creations of theirs are not tried.
        let names = GroupNames(of: group, triesCreations: !readsAll && database == .gateway)
        // With the lock, what others have changed since then can be read together with the rest.
        let start = locked.flatMap { row in written.withLock { $0.start(before: row) } }
        // Without the lock, it turns out below if they are the present ones.
        let mayBePresent = start != nil || locked.map { arePresent(in: $0) } ?? (member?.hasOthers != true)
        let known: [DocumentPath: StoredDocument] =
            readsAll || !mayBePresent ? [:] : written.withLock { $0.documents(at: names.paths + names.tried) }
        let unknown = names.documents { known[$0] == nil }
        var reads = [
            // A statement after the lock: only it sees what the last one to have the lock has committed.
            Call(ServerSQL.selectNow, [.text(member?.name ?? ""), .text(notices?.sender ?? "")])
        ]
        if !unknown.keys.isEmpty { reads.append(SharedReads(database: database).statement(for: unknown.keys)) }
        if !names.transactions.isEmpty {
            reads.append(Call(ServerSQL.selectOutcomes, database.parameters + [.blobs(names.transactions)]))
        }
        if let start, let locked { reads += ChangedPaths.statements(after: start, upTo: locked) }
        var rows = try connection.run(locked == nil ? lockCalls + reads : reads)
        var row = locked ?? DatabaseRow(rows[1])
        rows = rows.suffix(reads.count)
        if row == nil {
            let now = rows[0].integer(0, 0).map { Timestamp(microseconds: $0) } ?? .now
            try create(at: configuration.clock?() ?? now, connection)
            rows = try connection.run([lockCalls[1]] + reads)
            row = DatabaseRow(rows.removeFirst())
        }
        if let member, rows[0].integer(0, 2) != member.number {
            member.noteRemoval()
            throw StoreError.removed
        }
        let indexes = try indexes(count: rows[0].integer(0, 1), connection)
        guard let row else { throw StoreError(.unavailable, "the row of a database was removed meanwhile") }
        let now = rows[0].integer(0, 0).map { Timestamp(microseconds: $0) } ?? .now
        if let start, let locked {
            let others = rows.suffix(ChangedPaths.statementCount)
            rows.removeLast(ChangedPaths.statementCount)
            if let first = others.first, let last = others.last {
                follow(first, last, after: start, to: locked, at: configuration.clock?() ?? now)
            }
        }
        let outcomes = try names.transactions.isEmpty ? [:] : rows[rows.count - 1].outcomes()
        var documents = unknown.keys.isEmpty ? [:] : rows[1].stored(at: unknown.paths)
        if !known.isEmpty {
            let present = try present(known, in: row, names, mayHaveChanged: start != nil, connection)
            documents.merge(present) { document, _ in document }
        }
        let work = CommitGroup(database, row, documents, outcomes, indexes, configuration, connection)
        return (work, now, rows[0].isTrue(0, 3))
    }

    /// Returns known documents, and reads those of them that others may have changed.
    ///
    /// - Parameters:
    ///   - row: the locked row.
    ///   - mayHaveChanged: `true` if some were known to be changed after the known ones were taken.
    private func present(
        _ documents: [DocumentPath: StoredDocument], in row: DatabaseRow, _ names: GroupNames, mayHaveChanged: Bool,
        _ connection: Connection
    ) throws -> [DocumentPath: StoredDocument] {
        let arePresent = arePresent(in: row)
        guard mayHaveChanged || !arePresent else { return documents }
        let kept: [DocumentPath: StoredDocument] =
            arePresent ? written.withLock { $0.documents(at: Array(documents.keys)) } : [:]
        let doubtful = names.documents { documents[$0] != nil && kept[$0] == nil }
        guard !doubtful.keys.isEmpty else { return kept }
        let statement = SharedReads(database: database).statement(for: doubtful.keys)
        return kept.merging(try connection.run([statement])[0].stored(at: doubtful.paths)) { kept, _ in kept }
    }

    /// Notes what others have changed since the last group. If that is too much, cannot be read, or may be incomplete,
    /// nobody knows what is present.
    ///
    /// - Parameters:
    ///   - marks: the rows of the first of ``ChangedPaths``'s statements.
    ///   - rows: those of the second.
    ///   - start: the moment after which they were read.
    ///   - row: the locked row up to which they were read.
    ///   - now: the time by which old changes are deleted.
    private func follow(
        _ marks: Rows, _ rows: Rows, after start: ChangedPaths.Start, to row: DatabaseRow, at now: Timestamp
    ) {
        guard now - start.time < WrittenDocuments.longestGap,
            let changes = try? ChangedPaths(marks: marks, rows)
        else { return }
        let period = written.withLock { $0.follow(row, changes) }
        caches?.begin(period, afterChangesAt: changes.paths)
    }

    /// Returns `true` if nobody else has committed since the last group before a row was locked.
    private func arePresent(in row: DatabaseRow) -> Bool { written.withLock { $0.arePresent(in: row) } }

    private func indexes(count: Int64?, _ connection: Connection) throws -> DeclaredIndexes {
        let known = indexes.withLock(\.self)
        guard known.count != count else { return known }
        let new = try DeclaredIndexes(connection)
        indexes.withLock { $0 = new }
        return new
    }

    private func create(at now: Timestamp, _ connection: Connection) throws {
        // The first commit is later than the state before it.
        let last = now.adding(.microseconds(-1))
        let since: Parameter =
            configuration.keepsVersions(database) ? .integer(Timestamp.distantPast.microseconds) : .null
        _ = try connection.run([
            Call(ServerSQL.lockSchema),
            Call(
                ServerSQL.insertDatabase,
                database.parameters + [
                    .integer(last.microseconds), since, .boolean(configuration.indexesFields(database)),
                ]),
        ])
    }

    /// Returns `true` if a transaction whose connection was lost has been committed. New connections may be lost too,
    /// and a server that starts again refuses them for a while: who is told of a failure would repeat what may be
    /// committed.
    ///
    /// - Throws: an error of unknown outcome if the server does not tell in time.
    private func wasCommitted(_ sent: SentCommit, _ token: Int64, _ slot: ConnectionSlot) throws -> Bool {
        var attempts = Attempts(most: .max, within: Self.timeToAsk)
        while true {
            do {
                return try wasCommitted(sent, token, try slot.ready().connection)
            } catch let error as PostgreSQLError where error.isLost {
                guard attempts.wait() else { throw StoreError(wrapping: error).ofUnknownOutcome }
            } catch {
                throw StoreError(wrapping: error).ofUnknownOutcome
            }
        }
    }

    /// Returns `true` if a transaction whose connection was lost has been committed. It waits until the server has
    /// ended the transaction.
    private func wasCommitted(_ sent: SentCommit, _ token: Int64, _ connection: Connection) throws -> Bool {
        let parameters = database.parameters + [.integer(sent.previous.microseconds), .integer(token)]
        let rows = try connection.run([
            Call("BEGIN"), Call(ServerSQL.lockDatabase, database.parameters), Call(ServerSQL.selectToken, parameters),
            Call("ROLLBACK"),
        ])
        return rows[2].count > 0
    }
}

/// The documents and the transactions of a group's commits.
private struct GroupNames {
    /// The documents to read, each once.
    private(set) var paths: [DocumentPath] = []
    /// Their keys, in the same order.
    private(set) var keys: [RowKey] = []
    /// The documents of creations that are tried without a look for them. They are read if other commits name them too.
    private(set) var tried: [DocumentPath] = []
    /// The transactions that may have been committed before.
    private(set) var transactions: [[UInt8]] = []

    /// - Parameter triesCreations: `true` to leave out the documents of commits that create one each and do nothing
    ///   else.
    init(of group: [PendingCommit], triesCreations: Bool) {
        // A removal of all documents inserts none of them, so no failed insert would tell that one was there.
        let triesCreations = triesCreations && !group.contains { if case .removal = $0.work { true } else { false } }
        var named: Set<DocumentPath> = []
        for commit in group {
            switch commit.work {
            case .writes(let writes, let options) where triesCreations && options.isCreation(writes):
                tried += writes.lazy.map(\.path)
            case .writes(let writes, let options) where !commit.isAbandoned:
                for write in writes where named.insert(write.path).inserted {
                    paths.append(write.path)
                    keys.append(write.key)
                }
                if let identity = options.identity { transactions.append(identity.transaction) }
            case .outcome(let identity): transactions.append(identity.transaction)
            case .writes, .removal, .moment: break
            }
        }
    }

    /// Returns some of the documents, with their keys.
    func documents(where isIncluded: (DocumentPath) -> Bool) -> (paths: [DocumentPath], keys: [RowKey]) {
        let included = paths.indices.filter { isIncluded(paths[$0]) }
        return (included.map { paths[$0] }, included.map { keys[$0] })
    }
}

extension PendingCommit {
    /// Returns the error of a commit that is not to be applied; `nil` if it is.
    ///
    /// - Parameter period: that of its group.
    fileprivate func refusal(in period: CommitPeriod) -> StoreError? {
        if isAbandoned { return .abandoned }
        return isOutdated(in: period) ? .outdated : nil
    }
}

extension CommitOptions {
    /// Returns `true` if a commit of the writes creates one document, and depends on nothing else.
    fileprivate func isCreation(_ writes: [KeyedWrite]) -> Bool {
        guard writes.count == 1, reads == nil, identity == nil else { return false }
        return writes.first?.write.isCreation == true
    }
}

extension Rows {
    /// The outcomes of transactions in the rows of ``ServerSQL/selectOutcomes``.
    fileprivate func outcomes() throws(StoreError) -> [[UInt8]: CommitOutcome] {
        var outcomes: [[UInt8]: CommitOutcome] = [:]
        for row in 0..<count {
            guard let id = bytes(row, 0), let time = integer(row, 1), let digest = bytes(row, 2),
                let text = bytes(row, 3)
            else { continue }
            outcomes[id] = try CommitOutcome(digest: digest, time: Timestamp(microseconds: time), text: text)
        }
        return outcomes
    }
}
