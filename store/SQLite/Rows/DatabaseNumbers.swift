import Synchronization

/// A row of `databases`.
struct StoredDatabase: Sendable {
    /// The number of the database in the column of its documents.
    let number: Int64
    /// The time of the first state for which the versions of the database are complete; `nil` if none are kept.
    let since: Timestamp?
}

/// A cache of the rows of `databases`. A database gets another number when all its documents are removed.
final class DatabaseNumbers: Sendable {
    private struct State {
        var rows: [DatabaseID: StoredDatabase] = [:]
        /// The number of changed numbers.
        var epoch = 0
    }

    private let state = Mutex(State())

    /// The row of a database; `nil` if it is not known yet.
    subscript(database: DatabaseID) -> StoredDatabase? { state.withLock { $0.rows[database] } }

    /// Returns the number of a database, if it is known, and the present epoch.
    func current(_ database: DatabaseID) -> (number: Int64?, epoch: Int) {
        state.withLock { ($0.rows[database]?.number, $0.epoch) }
    }

    /// The number of times that a database got another number.
    var epoch: Int { state.withLock(\.epoch) }

    /// Keeps a row from a committed transaction of the writer.
    func keep(_ row: StoredDatabase, of database: DatabaseID) {
        state.withLock { state in
            if let number = state.rows[database]?.number, number != row.number { state.epoch += 1 }
            state.rows[database] = row
        }
    }

    /// Keeps a row that a reader has found, unless the row is known: the reader may have read an older state.
    func keepFirst(_ row: StoredDatabase, of database: DatabaseID) {
        state.withLock { state in
            if state.rows[database] == nil { state.rows[database] = row }
        }
    }
}
