import Foundation
import GRDB
import Logging
import Synchronization

/// A writer of commits in groups: one transaction, and one wait for the disk, for all commits that arrived while the
/// group before was written. Each commit has its own result.
final class Committer: Sendable {
    private let pool: DatabasePool
    private let numbers: DatabaseNumbers
    private let slots: IndexSlots
    let queue = CommitQueue()
    let reusable = ReusablePages()
    private let checkpointer: Checkpointer
    private let groups = Mutex(0)
    private let maximumGroupSize: Int
    private let now: @Sendable () -> Timestamp
    private let clock: Mutex<CommitClock>
    private let durable: Mutex<Timestamp>
    private let didCommit: @Sendable (ChangedDocuments) -> Void
    private let metrics = StoreMetrics()
    private let failures = Mutex(WriteFailureLog())
    private let logger: Logger

    /// The group sizes after which the writer pauses, so that the next group grows. Fewer groups wait for the disk
    /// less often, and write a page once that several commits change. Larger groups do not need the pause.
    private static let crowd = 4..<16
    /// The pause in seconds, about half of the time that a group takes.
    private static let pause = 0.0003

    init(
        _ pool: DatabasePool, _ configuration: SQLiteStoreConfiguration, numbers: DatabaseNumbers, slots: IndexSlots,
        checkpointer: Checkpointer, logger: Logger, didCommit: @escaping @Sendable (ChangedDocuments) -> Void
    ) throws {
        let lastCommit = try pool.read(SQLStatements.lastCommit)
        self.pool = pool
        self.numbers = numbers
        self.slots = slots
        maximumGroupSize = max(1, configuration.maximumGroupSize)
        now = configuration.clock
        clock = Mutex(CommitClock(last: lastCommit ?? .distantPast))
        durable = Mutex(lastCommit ?? configuration.clock())
        self.checkpointer = checkpointer
        self.logger = logger
        self.didCommit = didCommit
        try pool.read { try reusable.count($0, at: .now) }
    }

    var isClosed: Bool { queue.isClosed }

    /// The number of groups written.
    var groupCount: Int { groups.withLock(\.self) }

    /// The time of the last commit on the disk. Each read that begins after this contains the commit.
    var readTime: Timestamp { durable.withLock(\.self) }

    func commit(_ commit: PendingCommit) {
        let isQueued = queue.append(commit) {
            pool.asyncWriteWithoutTransaction { [self] db in drain(db) }
        }
        if !isQueued { commit.completion(.failure(.closed)) }
    }

    /// Rejects commits from now on. Those already accepted are on the writer's queue, before all work added later.
    func close() -> Bool { queue.close() }

    private func drain(_ db: Database) {
        while let group = queue.nextGroup(maximumSize: maximumGroupSize) {
            write(group, db)
            checkpointer.didWrite(db)
            if Self.crowd.contains(group.count) { Thread.sleep(forTimeInterval: Self.pause) }
        }
    }

    private func write(_ group: [PendingCommit], _ db: Database) {
        let start = ContinuousClock.now
        do {
            let (results, changes) = try transaction(group, db)
            if results.contains(where: \.isSuccess) { durable.withLock { $0 = clock.withLock(\.last) } }
            groups.withLock { $0 += 1 }
            didCommit(changes)
            // If the count fails, the last one stays.
            try? reusable.count(db, at: start)
            metrics.record(results, took: .now - start)
            for (commit, result) in zip(group, results) { commit.completion(result) }
            log(failures.withLock { $0.succeeded(at: start) })
        } catch {
            let error = StoreError(wrapping: error)
            for commit in group { commit.completion(.failure(error)) }
            metrics.recordFailure(of: group.count)
            log(failures.withLock { $0.failed(commits: group.count, at: start) }, error)
        }
    }

    private func log(_ report: WriteFailureLog.Report?, _ error: StoreError? = nil) {
        switch report {
        case nil: break
        case .failing(let commits):
            logger.error(
                "failed to write to the document store",
                metadata: ["commits": "\(commits)", "error": "\(error.map(\.description) ?? "")"])
        case .working(let duration):
            logger.notice("resumed writing to the document store", metadata: ["after": "\(duration)"])
        }
    }

    /// Writes a group of commits.
    ///
    /// - Throws: an error if the transaction failed as a whole and nothing of it was applied.
    private func transaction(
        _ group: [PendingCommit], _ db: Database
    ) throws -> ([Result<CommitResult, StoreError>], ChangedDocuments) {
        var results: [Result<CommitResult, StoreError>] = []
        var transaction = try CommitTransaction(db: db, numbers: numbers, slots: slots)
        var isApplied = false
        try db.inWriteTransaction {
            for commit in group {
                let time = clock.withLock { $0.tick(now()) }
                results.append(try transaction.apply(commit.writes, to: commit.database, at: time))
            }
            // A group that changed nothing does not have to wait for the disk.
            guard results.contains(where: \.isSuccess) else { return .rollback }
            try transaction.finish(at: clock.withLock(\.last))
            isApplied = true
            return .commit
        }
        if isApplied { transaction.didCommit() }
        return (results, isApplied ? transaction.changes : ChangedDocuments())
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

/// A source of commit times, each later than the one before, even if the system's clock is set back.
struct CommitClock {
    private(set) var last: Timestamp

    mutating func tick(_ now: Timestamp) -> Timestamp {
        last = max(now, last.adding(.microseconds(1)))
        return last
    }
}
