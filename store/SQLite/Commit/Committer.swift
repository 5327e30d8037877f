import Foundation
import GRDB
import Logging
import Synchronization

/// A writer of commits in groups: one transaction, and one wait for the disk, for all commits that arrived while the
/// group before was written. Each commit has its own result.
///
/// A group ends early if its commits take long, so that others need not wait for all of them.
final class Committer: Sendable {
    private let pool: DatabasePool
    private let numbers: DatabaseNumbers
    private let slots: IndexSlots
    let queue = CommitQueue()
    let reusable = ReusablePages()
    private let checkpointer: Checkpointer
    private let groups = Mutex(0)
    private let now: @Sendable () -> Timestamp
    private let clock: Mutex<CommitClock>
    private let durable: Mutex<Timestamp>
    private let settings: SQLiteStoreConfiguration
    private let lastChanges: LastChanges
    private let caches: DocumentCaches
    private let recent: Mutex<RecentChanges>
    /// Empty while a group is written, and after one that failed.
    private let written = Mutex(WrittenRows())
    /// Empty, with memory for the documents of the next commit.
    private let workingSet = Mutex(WorkingSet<DocumentRow>())
    /// Empty, with memory for the next group.
    private let spareGroup = Mutex<[PendingCommit]>([])
    private let didCommit: @Sendable (ChangedDocuments, Timestamp) -> Void
    private let monitor: CommitMonitor

    /// The group sizes after which the writer pauses, so that the next group grows. Fewer groups wait for the disk
    /// less often, and write a page once that several commits change. Larger groups do not need the pause.
    private static let crowd = 4..<16
    /// The pause in seconds, about half of the time that a group takes.
    private static let pause = 0.0003

    init(
        _ pool: DatabasePool, _ configuration: SQLiteStoreConfiguration, numbers: DatabaseNumbers, slots: IndexSlots,
        lastCommit: Timestamp?, lastChanges: LastChanges, caches: DocumentCaches, checkpointer: Checkpointer,
        logger: Logger, didCommit: @escaping @Sendable (ChangedDocuments, Timestamp) -> Void
    ) throws {
        self.pool = pool
        self.numbers = numbers
        self.slots = slots
        now = configuration.clock
        clock = Mutex(CommitClock(last: lastCommit ?? .distantPast))
        // The first commit is later than the state before it, also if the clock stands still.
        durable = Mutex(lastCommit ?? configuration.clock().adding(.microseconds(-1)))
        settings = configuration
        self.lastChanges = lastChanges
        self.caches = caches
        recent = Mutex(RecentChanges(since: lastCommit ?? .distantPast))
        self.checkpointer = checkpointer
        monitor = CommitMonitor(logger: logger)
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
        var group: [PendingCommit] = []
        spareGroup.withLock { swap(&$0, &group) }
        while queue.nextGroup(maximumSize: max(1, settings.maximumGroupSize), into: &group) {
            let count = write(group, db)
            queue.putBack(group, after: count)
            checkpointer.didWrite(db)
            if Self.crowd.contains(group.count) { Thread.sleep(forTimeInterval: Self.pause) }
        }
        spareGroup.withLock { swap(&$0, &group) }
    }

    /// Writes the commits of a group, as many as the time allows.
    ///
    /// - Returns: the number of commits that have their results.
    private func write(_ group: [PendingCommit], _ db: Database) -> Int {
        let start = ContinuousClock.now
        do {
            try checkpointer.checkFiles(db)
            let (results, changes) = try transaction(group, db, until: start + settings.maximumGroupTime)
            try checkpointer.checkFiles(db)
            let time = clock.withLock(\.last)
            groups.withLock { $0 += 1 }
            if results.contains(where: \.isSuccess) {
                durable.withLock { $0 = time }
                // Also if only time has passed: readers of the time wait for its changes.
                didCommit(changes, time)
            }
            // If the count fails, the last one stays.
            try? reusable.count(db, at: start)
            return monitor.complete(group, with: results, since: start)
        } catch {
            return monitor.fail(group, with: StoreError(wrapping: error), since: start)
        }
    }

    /// Writes a group of commits.
    ///
    /// - Parameter end: the time after which no further commit begins.
    /// - Throws: an error if the transaction failed as a whole and nothing of it was applied.
    private func transaction(
        _ group: [PendingCommit], _ db: Database, until end: ContinuousClock.Instant
    ) throws -> (results: [Result<CommitResult, StoreError>], changes: ChangedDocuments) {
        var results: [Result<CommitResult, StoreError>] = []
        var transaction = try CommitTransaction(
            db: db, numbers: numbers, slots: slots, settings: settings, written: written.withLock { $0.take() },
            workingSet: workingSet.withLock { $0.take() })
        var isApplied = false
        // At the end, when reads find the changes, also in a database with another number, or after a failure.
        defer { caches.didChange() }
        try db.inWriteTransaction {
            transaction.begin()
            for commit in group where results.isEmpty || ContinuousClock.now < end {
                let result = try apply(commit, in: &transaction)
                if case .success = result, commit.work.isCommit { isApplied = true }
                results.append(result)
            }
            // A group that changed nothing does not have to wait for the disk.
            guard isApplied else { return .rollback }
            let time = clock.withLock(\.last)
            try transaction.finish(at: time)
            let versioned = transaction.changes.versioned
            if !versioned.isEmpty { lastChanges.set(time, of: versioned) }
            caches.willChange(transaction.changes)
            return .commit
        }
        if isApplied { transaction.didCommit() }
        let rows = transaction.written
        written.withLock { $0 = rows }
        let empty = transaction.workingSet
        workingSet.withLock { $0 = empty }
        guard isApplied else { return (results, ChangedDocuments()) }
        let changes = transaction.changes
        if !changes.versioned.isEmpty || !changes.removals.isEmpty { recent.withLock { $0.append(changes) } }
        return (results, changes)
    }

    /// Applies one commit of a group.
    private func apply(
        _ commit: PendingCommit, in transaction: inout CommitTransaction
    ) throws -> Result<CommitResult, StoreError> {
        if case .moment(let time) = commit.work {
            clock.withLock { $0.reach(time) }
            return .success(CommitResult(commitTime: time, updateTimes: []))
        }
        if case .outcome(let identity) = commit.work {
            return try transaction.outcome(of: identity, in: commit.database) ?? .failure(.noOutcome)
        }
        guard !commit.isAbandoned else { return .failure(.abandoned) }
        let time = clock.withLock { $0.tick(now()) }
        guard case .writes(let writes, let options) = commit.work else {
            try transaction.removeAll(from: commit.database, at: time)
            return .success(CommitResult(commitTime: time, updateTimes: []))
        }
        if let identity = options.identity,
            let outcome = try transaction.outcome(of: identity, in: commit.database)
        {
            return outcome
        }
        if let reads = options.reads, try conflicts(reads, in: commit.database, transaction) {
            return .failure(.conflict)
        }
        return try transaction.apply(writes, to: commit.database, as: options.identity, at: time)
    }

    private func conflicts(
        _ reads: TransactionReads, in database: DatabaseID, _ transaction: CommitTransaction
    ) throws -> Bool {
        let lastCommit = readTime
        return try recent.withLock { recent in
            try transaction.conflicts(reads, in: database, recent: recent, lastCommit: lastCommit)
        }
    }
}

extension PendingCommit.Work {
    /// `true` unless nothing is to be written.
    fileprivate var isCommit: Bool {
        switch self {
        case .writes, .removal: true
        case .outcome, .moment: false
        }
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

    /// Makes all later times later than this one.
    mutating func reach(_ time: Timestamp) { last = max(last, time) }
}
