import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// The connections for short reads, which run on the calling thread. This takes microseconds, where waking a thread
/// of GRDB and being woken by it takes tens of them.
///
/// A read that is long or needs the disk is left to GRDB's readers.
final class InPlaceReaders: Sendable {
    private struct State {
        var free: [InPlaceConnection]
        var isClosed = false
    }

    private let state: Mutex<State>

    /// The greatest number of threads that run tasks at the same time.
    private static var most: Int { min(ProcessInfo.processInfo.activeProcessorCount, 16) }

    init(_ settings: SQLiteStoreConfiguration) throws {
        CachedReading.install()
        let count = CachedReading.isPossible(at: settings.path) ? Self.most : 0
        let connections = try (0..<count).map { _ in try InPlaceConnection(settings) }
        state = Mutex(State(free: connections))
    }

    /// Runs the closure in a read transaction.
    ///
    /// - Returns: `nil` if the read has to run elsewhere. The closure may have started in that case.
    func read<Answer>(_ body: (Database) throws -> Answer) throws -> Answer? {
        guard let connection = state.withLock({ $0.free.popLast() }) else { return nil }
        defer { give(back: connection) }
        return try connection.read(body)
    }

    func close() {
        let free = state.withLock { state in
            state.isClosed = true
            defer { state.free = [] }
            return state.free
        }
        for connection in free { try? connection.close() }
    }

    private func give(back connection: InPlaceConnection) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.free.append(connection) }
            return state.isClosed
        }
        if isClosed { try? connection.close() }
    }
}

/// A connection that stops a read if it is long (more than about two hundred rows) or needs the disk.
final class InPlaceConnection: @unchecked Sendable {  // because InPlaceReaders gives it to one thread at a time
    /// The number of SQLite's instructions between two checks of the budget. A row of a collection takes about ten.
    private static let instructionsPerLook: CInt = 100
    private static let mostLooks = 20

    private let queue: DatabaseQueue
    private var looksLeft = 0

    init(_ settings: SQLiteStoreConfiguration) throws {
        queue = try DatabaseQueue(path: settings.path, configuration: Connections.inPlaceConfiguration)
        // The handler does not retain this object. It lives as long as the connection, which this object owns.
        let context = Unmanaged.passUnretained(self).toOpaque()
        queue.unsafeRead { db in
            sqlite3_progress_handler(db.sqliteConnection, Self.instructionsPerLook, Self.look, context)
        }
    }

    /// Runs the closure in a read transaction.
    ///
    /// - Returns: `nil` if the read was stopped, or would have to wait for the disk or for another program.
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

    /// SQLite's progress handler (https://www.sqlite.org/c3ref/progress_handler.html): a result other than 0
    /// interrupts.
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
    /// `true` if the read may succeed on another connection. A failing disk also fails there.
    fileprivate var isPassing: Bool {
        switch resultCode {
        case .SQLITE_INTERRUPT, .SQLITE_BUSY, .SQLITE_IOERR: true
        default: false
        }
    }
}
