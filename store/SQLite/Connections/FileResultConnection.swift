import GRDB

/// A connection to the file on which results are read in pieces.
final class FileResultConnection: ResultConnection {
    private let queue: DatabaseQueue

    init(_ settings: SQLiteStoreConfiguration) throws {
        queue = try DatabaseQueue(path: settings.path, configuration: Connections.resultConfiguration)
    }

    func run(_ body: @escaping @Sendable (Result<Database, StoreError>) -> Void) {
        queue.asyncWriteWithoutTransaction { db in
            body(db.sqliteConnection == nil ? .failure(.closed) : .success(db))
        }
    }

    func interrupt() { queue.interrupt() }

    static func beginReading(_ db: Database) throws { try db.beginReading() }

    static func endReading(_ db: Database) { db.endReading() }

    func close() { try? queue.close() }

    typealias OpenResult = FileResultRows
}
