internal import Foundation
import GRDB
import Synchronization

/// The connections for short reads, which run on the thread that asks: that takes microseconds where waking a thread of
/// GRDB's and being woken takes tens of them.
///
/// A read that turns out to be long, or that meets a slow disk, is left to GRDB's readers.
final class InPlaceReaders: Sendable {
    private struct State {
        var free: [InPlaceConnection]
        var pace = InPlacePace()
        var isClosed = false
    }

    private enum Turn {
        case now(InPlaceConnection)
        case soon
        case elsewhere
    }

    private let state: Mutex<State>
    /// The longest wait for a connection that is in use. Most reads take a fifth of it, and one that runs elsewhere costs
    /// about as much.
    private static let patience = Duration.microseconds(100)

    /// One less than the threads that run tasks, so that reads which wait for the disk never hold all of them.
    static var defaultCount: Int { min(ProcessInfo.processInfo.activeProcessorCount - 1, 16) }

    /// - Parameter count: how many reads run in place at once; others are left to GRDB's readers.
    init(_ settings: SQLiteStoreConfiguration, count: Int = defaultCount) throws {
        let connections = try (0..<count).map { _ in try InPlaceConnection(settings) }
        state = Mutex(State(free: connections))
    }

    /// Runs the closure in a transaction that reads.
    ///
    /// - Returns: `nil` if the read has to run elsewhere. The closure may have begun then.
    func read<Answer>(_ body: (Database) throws -> Answer) throws -> Answer? {
        let start = ContinuousClock.now
        guard let connection = take(at: start) else { return nil }
        let waits = ThreadWaits.count
        defer { give(back: connection, begunAt: start, hasWaited: ThreadWaits.count != waits) }
        return try connection.read(begunAt: start, body)
    }

    func close() {
        let free = state.withLock { state in
            state.isClosed = true
            defer { state.free = [] }
            return state.free
        }
        for connection in free { try? connection.close() }
    }

    private func take(at start: ContinuousClock.Instant) -> InPlaceConnection? {
        while true {
            switch turn(of: start) {
            case .now(let connection): return connection
            case .soon where ContinuousClock.now - start < Self.patience: sched_yield()
            case .soon, .elsewhere: return nil
            }
        }
    }

    private func turn(of start: ContinuousClock.Instant) -> Turn {
        state.withLock { state in
            guard !state.isClosed, state.pace.mayBegin(at: start) else { return .elsewhere }
            guard let connection = state.free.popLast() else { return state.pace.isIdle ? .elsewhere : .soon }
            state.pace.began(at: start)
            return .now(connection)
        }
    }

    private func give(back connection: InPlaceConnection, begunAt start: ContinuousClock.Instant, hasWaited: Bool) {
        let isClosed = state.withLock { state in
            state.pace.ended(begunAt: start, at: .now, hasWaited: hasWaited)
            if !state.isClosed { state.free.append(connection) }
            return state.isClosed
        }
        if isClosed { try? connection.close() }
    }
}
