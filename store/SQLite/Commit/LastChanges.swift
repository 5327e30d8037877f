import Synchronization

/// The times of the last changes of the databases that keep versions.
///
/// The writer sets a time before the change is visible to readers. A reader that looks here after its transaction has
/// begun thus finds a time that is not before the last change it can see.
final class LastChanges: Sendable {
    /// The time of the last change before the file was opened.
    private let opened: Timestamp
    private let keepsVersions: @Sendable (DatabaseID) -> Bool
    private let times = Mutex<[DatabaseID: Timestamp]>([:])

    init(opened: Timestamp, keepsVersions: @escaping @Sendable (DatabaseID) -> Bool) {
        self.opened = opened
        self.keepsVersions = keepsVersions
    }

    func set(_ time: Timestamp, of databases: Set<DatabaseID>) {
        times.withLock { times in
            for database in databases { times[database] = time }
        }
    }

    /// Returns the time of the last change of a database, or a later one; `nil` if it is not known.
    func time(of database: DatabaseID) -> Timestamp? {
        guard keepsVersions(database) else { return nil }
        return times.withLock { $0[database] ?? opened }
    }

    /// Returns `true` if the database is known to have the state of a time still.
    func isUnchanged(_ database: DatabaseID, since time: Timestamp) -> Bool {
        guard let last = self.time(of: database) else { return false }
        return last <= time
    }
}
