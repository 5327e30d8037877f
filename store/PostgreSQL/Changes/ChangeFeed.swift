import DocumentStore
import Foundation
import Logging
import Synchronization

/// The announcer of commits to watches and listeners: those of this engine as soon as they are committed, those of
/// others when they are found. All of a database are announced in the order of their times.
final class ChangeFeed: Sendable {
    /// The commits of a database that have been announced.
    private struct Known {
        var number: Int64?
        /// The time up to which all commits have been announced. Times of other databases say nothing about it.
        var time: Timestamp
        let listeners = ChangeListeners()
    }

    let watchers = Watchers()
    private let known = Mutex<[DatabaseID: Known]>([:])
    private let isFinished = Atomic(false)
    /// The time at which the engine was opened. A database that did not exist then has no earlier commits.
    private let opened: Timestamp
    private let logger: Logger

    /// - Parameter databases: the databases that exist, with their numbers and the times of their last commits.
    init(_ databases: [(DatabaseID, Int64, Timestamp)], opened: Timestamp, logger: Logger) {
        self.opened = opened
        self.logger = logger
        known.withLock { known in
            for (database, number, time) in databases { known[database] = Known(number: number, time: time) }
        }
    }

    /// The time of a commit of the database that all reads from now on contain.
    func readTime(of database: DatabaseID) -> Timestamp { known.withLock { $0[database]?.time } ?? opened }

    /// Returns a listener to the changes of the database from now on.
    func listener(to database: DatabaseID) -> ChangeListener {
        let listener = known.withLock { all in
            let known = all[database] ?? Known(number: nil, time: opened)
            all[database] = known
            return known.listeners.listener(to: database, since: known.time)
        }
        if isFinished.load(ordering: .sequentiallyConsistent) { finish() }
        return listener
    }

    /// Announces a group of commits of this engine.
    ///
    /// - Parameters:
    ///   - previous: the database's row before the group.
    ///   - row: its row after it.
    ///   - connection: the connection that has committed the group, which reads what others have committed before it.
    func committed(
        _ changes: ChangedDocuments, to database: DatabaseID, after previous: DatabaseRow, at row: DatabaseRow,
        _ connection: Connection
    ) {
        known.withLock { all in
            var known = all[database] ?? Known(number: nil, time: opened)
            // The poll may have been faster.
            guard known.time < row.lastCommit else { return }
            var changes = changes
            let isMissing =
                known.time < previous.lastChange || known.number != nil && known.number != previous.number
            if isMissing, isHeard(known, database) {
                do {
                    if try catchUp(database, &all, connection) { return }
                } catch {
                    changes.append(unknown(database, row, because: error))
                }
            }
            (known.number, known.time) = (row.number, row.lastCommit)
            all[database] = known
            announce(changes, to: known)
        }
    }

    /// Announces the commits of other engines.
    func poll(_ connection: Connection) throws {
        let rows = try connection.run(ServerSQL.selectCommits)
        for row in 0..<rows.count {
            guard let project = rows.text(row, 0), let name = rows.text(row, 1), let last = rows.integer(row, 2),
                let number = rows.integer(row, 3)
            else { continue }
            let database = DatabaseID(project: project, database: name)
            guard Timestamp(microseconds: last) > readTime(of: database) else { continue }
            if skip(to: Timestamp(microseconds: last), number, of: database) { continue }
            try catchUp(database, connection)
        }
    }

    /// Takes the commits up to a time for announced if nobody listens: who begins to listen later reads a state that
    /// contains them. Returns `false` if somebody does.
    private func skip(to time: Timestamp, _ number: Int64, of database: DatabaseID) -> Bool {
        known.withLock { all in
            var known = all[database] ?? Known(number: nil, time: opened)
            guard !isHeard(known, database) else { return false }
            if time > known.time { (known.number, known.time) = (number, time) }
            all[database] = known
            return true
        }
    }

    private func catchUp(_ database: DatabaseID, _ connection: Connection) throws {
        try known.withLock { all in _ = try catchUp(database, &all, connection) }
    }

    /// Returns `false` if there was nothing to announce.
    private func catchUp(
        _ database: DatabaseID, _ all: inout [DatabaseID: Known], _ connection: Connection
    ) throws -> Bool {
        var known = all[database] ?? Known(number: nil, time: opened)
        // One state, so that what is read after the changes belongs to them.
        let select = Call(ServerSQL.selectDatabase, database.parameters)
        let isFound = try connection.inSnapshot(first: select) { connection, rows in
            guard let row = DatabaseRow(rows), row.lastCommit > known.time else { return false }
            announce(found: row, of: database, since: known, connection)
            (known.number, known.time) = (row.number, row.lastCommit)
            return true
        }
        all[database] = known
        return isFound
    }

    /// Announces what was committed up to a row. It is not read if nobody listens.
    private func announce(
        found row: DatabaseRow, of database: DatabaseID, since known: Known, _ connection: Connection
    ) {
        var changes = ChangedDocuments()
        if let number = known.number, number != row.number {
            changes.append(ChangedDocuments.Removal(database: database, number: number, time: row.lastCommit))
        } else if row.lastChange > known.time, isHeard(known, database) {
            do {
                let log = ChangeLog(database: database, connection: connection)
                for change in try log.changes(ofNumber: row.number, after: known.time, upTo: row.lastCommit) {
                    changes.append(change)
                }
            } catch {
                changes.append(unknown(database, row, because: error))
            }
        }
        var known = known
        known.time = row.lastCommit
        announce(changes, to: known)
    }

    /// `true` if somebody listens to a database.
    var isHeard: Bool { !watchers.isEmpty || known.withLock { $0.values.contains { !$0.listeners.isEmpty } } }

    /// Returns `true` if somebody listens to the database.
    private func isHeard(_ known: Known, _ database: DatabaseID) -> Bool {
        !known.listeners.isEmpty || watchers.watch(database)
    }

    /// Returns what makes listeners read again, for changes that cannot be read.
    private func unknown(
        _ database: DatabaseID, _ row: DatabaseRow, because error: any Error
    ) -> ChangedDocuments.Removal {
        logger.warning("failed to read the changes of another gateway", metadata: ["error": "\(error)"])
        return ChangedDocuments.Removal(database: database, number: row.number, time: row.lastCommit)
    }

    /// Announces changes up to a time.
    private func announce(_ changes: ChangedDocuments, to known: Known) {
        watchers.notify(of: changes)
        known.listeners.notify(of: changes, upTo: known.time)
        for removal in changes.removals { known.listeners.reset(removal.database, at: known.time) }
    }

    func finish() {
        isFinished.store(true, ordering: .sequentiallyConsistent)
        watchers.finish()
        for known in known.withLock({ Array($0.values) }) { known.listeners.finish() }
    }
}
