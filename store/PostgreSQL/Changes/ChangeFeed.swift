import DocumentStore
import Foundation
import Logging
import Synchronization

/// The announcer of commits to watches and listeners: those of this engine as soon as they are committed, those of others
/// when they are found. All of a database are announced in the order of their times.
final class ChangeFeed: Sendable {
    /// The commits of a database that have been announced.
    private struct Known {
        var number: Int64?
        /// The time up to which all commits have been announced.
        var time: Timestamp
    }

    let watchers = Watchers()
    let listeners = ChangeListeners()
    private let known = Mutex<[DatabaseID: Known]>([:])
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
            let known = all[database] ?? Known(number: nil, time: opened)
            // The poll may have been faster.
            guard known.time < row.lastCommit else { return }
            if known.time < previous.lastChange || known.number != nil && known.number != previous.number {
                announce(found: previous, of: database, since: known, connection)
            }
            all[database] = Known(number: row.number, time: row.lastCommit)
            announce(changes, of: database, at: row.lastCommit)
        }
    }

    /// Announces the commits of other engines.
    func poll(_ connection: Connection) throws {
        let rows = try connection.run(ServerSQL.selectCommits)
        for row in 0..<rows.count {
            guard let project = rows.text(row, 0), let name = rows.text(row, 1), let last = rows.integer(row, 2)
            else { continue }
            let database = DatabaseID(project: project, database: name)
            guard Timestamp(microseconds: last) > readTime(of: database) else { continue }
            try catchUp(database, connection)
        }
    }

    private func catchUp(_ database: DatabaseID, _ connection: Connection) throws {
        try known.withLock { all in
            let known = all[database] ?? Known(number: nil, time: opened)
            // One state, so that what is read after the changes belongs to them.
            try connection.inSnapshot { connection in
                guard let row = DatabaseRow(try connection.run(ServerSQL.selectDatabase, database.parameters)),
                    row.lastCommit > known.time
                else { return }
                announce(found: row, of: database, since: known, connection)
                all[database] = Known(number: row.number, time: row.lastCommit)
            }
        }
    }

    /// Announces what was committed up to a row.
    private func announce(
        found row: DatabaseRow, of database: DatabaseID, since known: Known, _ connection: Connection
    ) {
        var changes = ChangedDocuments()
        if let number = known.number, number != row.number {
            changes.append(ChangedDocuments.Removal(database: database, number: number, time: row.lastCommit))
        } else if row.lastChange > known.time {
            do {
                let log = ChangeLog(database: database, connection: connection)
                for change in try log.changes(ofNumber: row.number, after: known.time, upTo: row.lastCommit) {
                    changes.append(change)
                }
            } catch {
                // A removal makes listeners read again.
                logger.warning("failed to read the changes of another gateway", metadata: ["error": "\(error)"])
                changes.append(
                    ChangedDocuments.Removal(database: database, number: row.number, time: row.lastCommit))
            }
        }
        announce(changes, of: database, at: row.lastCommit)
    }

    private func announce(_ changes: ChangedDocuments, of database: DatabaseID, at time: Timestamp) {
        watchers.notify(of: changes)
        listeners.notify(of: changes, upTo: time)
        for removal in changes.removals { listeners.reset(removal.database, at: time) }
    }

    func finish() {
        watchers.finish()
        listeners.finish()
    }
}
