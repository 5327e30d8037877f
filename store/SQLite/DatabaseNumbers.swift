import Synchronization

/// The numbers of databases in their column, kept once read: a database keeps its number for as long as the file lives.
final class DatabaseNumbers: Sendable {
    private let numbers = Mutex<[DatabaseID: Int64]>([:])

    /// The number of a database, or `nil` if it is not known yet.
    subscript(database: DatabaseID) -> Int64? { numbers.withLock { $0[database] } }

    /// Keeps the number of a database that a committed transaction has.
    func keep(_ number: Int64, of database: DatabaseID) { numbers.withLock { $0[database] = number } }
}
