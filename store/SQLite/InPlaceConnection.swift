import GRDB
import GRDBSQLite

/// A connection that stops a read which takes long, more than some two hundred rows, or needs the disk.
final class InPlaceConnection: @unchecked Sendable {  // because one thread at a time has it, see InPlaceReaders
    /// The instructions of SQLite's machine between two looks at the budget. A row of a collection takes about ten.
    private static let instructionsPerLook: CInt = 100
    private static let mostLooks = 20

    private let queue: DatabaseQueue
    private var looksLeft = 0

    init(_ settings: SQLiteStoreConfiguration) throws {
        queue = try DatabaseQueue(path: settings.path, configuration: Connections.inPlaceConfiguration)
        // Unretained: the handler goes with the connection, which this has.
        let context = Unmanaged.passUnretained(self).toOpaque()
        queue.unsafeRead { db in
            sqlite3_progress_handler(db.sqliteConnection, Self.instructionsPerLook, Self.look, context)
        }
    }

    /// Runs the closure in a transaction that reads.
    ///
    /// - Returns: `nil` if it was stopped, or would have to wait for the disk or for another program.
    func read<Answer>(_ body: (Database) throws -> Answer) throws -> Answer? {
        looksLeft = Self.mostLooks
        do {
            return try queue.unsafeRead { db in
                try CachedReading.run { try db.inReadTransaction { try body(db) } }
            }
        } catch let error as DatabaseError where error.isPassing {
            return nil
        }
    }

    func close() throws { try queue.close() }

    /// SQLite's progress handler (https://www.sqlite.org/c3ref/progress_handler.html): anything but 0 interrupts.
    private static let look: @convention(c) (UnsafeMutableRawPointer?) -> CInt = { context in
        guard let context else { return 0 }
        return Unmanaged<InPlaceConnection>.fromOpaque(context).takeUnretainedValue().isOverBudget() ? 1 : 0
    }

    private func isOverBudget() -> Bool {
        looksLeft -= 1
        return looksLeft < 0
    }
}

extension DatabaseError {
    /// A Boolean value indicating whether the read may succeed elsewhere. A disk that fails says so again there.
    fileprivate var isPassing: Bool {
        switch resultCode {
        case .SQLITE_INTERRUPT, .SQLITE_BUSY, .SQLITE_IOERR: true
        default: false
        }
    }
}
