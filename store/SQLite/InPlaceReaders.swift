internal import Foundation
import GRDB
import Synchronization

/// The connections for short reads, which run on the thread that asks: that takes microseconds where waking a thread of
/// GRDB's and being woken takes tens of them.
///
/// A read that turns out to be long, or to need the disk, is left to GRDB's readers.
final class InPlaceReaders: Sendable {
    private struct State {
        var free: [InPlaceConnection]
        var isClosed = false
    }

    private let state: Mutex<State>

    /// More threads than these never run tasks at once.
    private static var most: Int { min(ProcessInfo.processInfo.activeProcessorCount, 16) }

    init(_ settings: SQLiteStoreConfiguration) throws {
        CachedReading.install()
        let count = CachedReading.isPossible(at: settings.path) ? Self.most : 0
        let connections = try (0..<count).map { _ in try InPlaceConnection(settings) }
        state = Mutex(State(free: connections))
    }

    /// Runs the closure in a transaction that reads.
    ///
    /// - Returns: `nil` if the read has to run elsewhere. The closure may have begun then.
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
