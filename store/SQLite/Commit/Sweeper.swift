import Dispatch
import GRDB
import Logging
import Synchronization

/// Deletes in the background the rows that no database has any longer, and the versions and outcomes that are too old.
///
/// It works on the writer in transactions of a few milliseconds with pauses between them, in which commits are written.
final class Sweeper: Sendable {
    private typealias Instant = ContinuousClock.Instant

    private struct State {
        /// The numbers of databases whose rows are to be deleted.
        var removed: [Int64] = []
        /// The time of the next transaction, if one is planned.
        var due: Instant?
        var isClosed = false
    }

    /// The rows that are left to delete.
    private enum Rest: Int, Comparable {
        case none, later, some

        static func < (left: Rest, right: Rest) -> Bool { left.rawValue < right.rawValue }
    }

    private static let mostRows = 200
    private static let duration = Duration.milliseconds(3)
    private static let pause = Duration.milliseconds(10)
    private static let interval = Duration.seconds(60)

    private let pool: DatabasePool
    private let checkpointer: Checkpointer
    private let clock: @Sendable () -> Timestamp
    private let mostBytes: Int64
    private let logger: Logger
    private let state = Mutex(State())

    init(_ pool: DatabasePool, _ settings: SQLiteStoreConfiguration, checkpointer: Checkpointer, logger: Logger) {
        self.pool = pool
        self.checkpointer = checkpointer
        clock = settings.clock
        mostBytes = settings.versionBytes
        self.logger = logger
    }

    /// Finds the rows that were left by an earlier process.
    func start() throws {
        let removed = try pool.read(Self.removedNumbers)
        state.withLock { $0.removed += removed }
        wake(after: .zero)
    }

    /// Begins to delete the rows of a number that no database has any longer.
    func sweep(_ number: Int64) {
        state.withLock { $0.removed.append(number) }
        wake(after: .zero)
    }

    /// Plans the deletion of old versions, because there are some that will be old.
    func keepYoung() { wake(after: Self.interval) }

    func close() { state.withLock { $0.isClosed = true } }

    private func wake(after pause: Duration) {
        let due = ContinuousClock.now + pause
        let isFirst = state.withLock { state in
            guard !state.isClosed, state.due.map({ due < $0 }) ?? true else { return false }
            state.due = due
            return true
        }
        guard isFirst else { return }
        let seconds = Double(pause.components.seconds) + Double(pause.components.attoseconds) * 1e-18
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in self?.enqueue(due) }
    }

    private func enqueue(_ due: Instant) {
        guard state.withLock({ !$0.isClosed && $0.due == due }) else { return }
        pool.asyncWriteWithoutTransaction { [weak self] db in self?.run(due, db) }
    }

    private func run(_ due: Instant, _ db: Database) {
        let isDue = state.withLock { state in
            guard !state.isClosed, state.due == due else { return false }
            state.due = nil
            return true
        }
        guard isDue else { return }
        do {
            let rest = try batch(db)
            checkpointer.didWrite(db)
            switch rest {
            case .some: wake(after: Self.pause)
            case .later: wake(after: Self.interval)
            case .none: break
            }
        } catch {
            logger.warning("failed to delete old data; trying again", metadata: ["error": "\(error)"])
            wake(after: Self.interval)
        }
    }

    private func batch(_ db: Database) throws -> Rest {
        try checkpointer.checkFiles(db)
        guard let number = state.withLock(\.removed.first) else {
            return max(try deleteVersions(db), try deleteOutcomes(db))
        }
        let isOver = try deleteRows(of: number, db)
        if isOver { state.withLock { $0.removed.removeAll { $0 == number } } }
        return .some
    }
}

extension Sweeper {
    /// Returns the numbers in the tables' rows that are not those of databases.
    private static func removedNumbers(_ db: Database) throws -> [Int64] {
        let present = try Set(Int64.fetchAll(db, sql: SQL.selectNumbers))
        var removed: Set<Int64> = []
        for sql in [
            SQL.selectNextNumber, SQL.selectNextVersionNumber, SQL.selectNextEntryNumber, SQL.selectNextOutcomeNumber,
        ] {
            var last = Int64.min
            while let number = try Int64.fetchOne(db, sql: sql, arguments: [last]) {
                if !present.contains(number) { removed.insert(number) }
                last = number
            }
        }
        return removed.sorted()
    }

    /// Deletes rows of a number, as many as the time allows.
    ///
    /// - Returns: `true` if there are no more.
    private func deleteRows(of number: Int64, _ db: Database) throws -> Bool {
        var isOver = true
        try db.inWriteTransaction {
            let end = ContinuousClock.now + Self.duration
            for (select, delete) in [
                (SQL.selectRows, SQL.deleteDocument), (SQL.selectVersionRows, SQL.deleteVersion),
                (SQL.selectOutcomeRows, SQL.deleteOutcome),
            ] where isOver {
                let ids = try Int64.fetchAll(db.cachedStatement(sql: select), arguments: [number, Self.mostRows])
                let count = try self.delete(ids, with: delete, until: end, db)
                isOver = count == ids.count && ids.count < Self.mostRows
            }
            if isOver {
                try db.cachedStatement(sql: SQL.deleteSomeEntries).execute(arguments: [number, Self.mostRows])
                isOver = db.changesCount < Self.mostRows
            }
            return .commit
        }
        return isOver
    }

    /// Deletes rows until a time, at least one.
    ///
    /// - Returns: the number of deleted rows.
    private func delete(_ ids: [Int64], with sql: String, until end: Instant, _ db: Database) throws -> Int {
        let statement = try RawStatement(sql, db)
        var count = 0
        for id in ids where count == 0 || ContinuousClock.now < end {
            statement.bind(id, at: 1)
            try statement.execute()
            count += 1
        }
        return count
    }

    /// Deletes the oldest versions if they are too old, or too large together.
    private func deleteVersions(_ db: Database) throws -> Rest {
        let rows = try Row.fetchAll(db.cachedStatement(sql: SQL.selectOldestVersions), arguments: [Self.mostRows])
        guard !rows.isEmpty else { return .none }
        let written = try Int64.fetchOne(db.cachedStatement(sql: SQL.selectWritten)) ?? 0
        let horizon = horizon
        let old = rows.prefix { row in
            let (until, size): (Int64, Int64) = (row[1], row[2])
            return until <= horizon || written - size > mostBytes
        }
        guard !old.isEmpty else { return .later }
        var count = 0
        try db.inWriteTransaction {
            count = try delete(
                old.map { $0[0] as Int64 }, with: SQL.deleteVersion, until: ContinuousClock.now + Self.duration, db)
            let until: Int64 = old[count - 1][1]
            // States before this one have lost versions.
            if until > horizon { try db.execute(sql: SQL.raiseSince, arguments: [until]) }
            return .commit
        }
        return count == rows.count || count < old.count ? .some : .later
    }

    /// Deletes the oldest outcomes of transactions if they are too old.
    private func deleteOutcomes(_ db: Database) throws -> Rest {
        let rows = try Row.fetchAll(db.cachedStatement(sql: SQL.selectOldestOutcomes), arguments: [Self.mostRows])
        guard !rows.isEmpty else { return .none }
        let horizon = horizon
        let old = rows.prefix { ($0[1] as Int64) <= horizon }.map { $0[0] as Int64 }
        guard !old.isEmpty else { return .later }
        var count = 0
        try db.inWriteTransaction {
            count = try delete(old, with: SQL.deleteOutcome, until: ContinuousClock.now + Self.duration, db)
            return .commit
        }
        return count == rows.count || count < old.count ? .some : .later
    }

    /// The time before which what is kept for a time is too old, in microseconds.
    private var horizon: Int64 { StateAge.oldestKept(at: clock()).microseconds }
}
