import Dispatch
import GRDB
import Signals
import Synchronization

/// The connections on which results are read in pieces. Each keeps one state of the file for one result, so they are
/// not GRDB's readers, of which a slow consumer would take one from all other reads.
final class ResultConnections: Sendable {
    /// The greatest number of results that are read at the same time; others wait.
    private static let most = 16

    private struct Entry {
        weak var reading: ResultReading?
    }

    private struct State {
        var all: [DatabaseQueue] = []
        var free: [DatabaseQueue] = []
        /// The number of connections that are open or being opened.
        var count = 0
        var readings: [Entry] = []
        var isClosed = false
    }

    private enum Turn {
        case use(DatabaseQueue)
        case open, wait, closed
    }

    private let settings: SQLiteStoreConfiguration
    private let state = Mutex(State())
    private let released = Signal()

    init(_ settings: SQLiteStoreConfiguration) { self.settings = settings }

    /// Returns a reading of a result that has not begun. Waits for a connection if all are in use.
    func reading() async throws(StoreError) -> ResultReading {
        let reading = ResultReading(on: try await connection(), of: self)
        let isClosed = state.withLock { state in
            state.readings = state.readings.filter { $0.reading != nil } + [Entry(reading: reading)]
            return state.isClosed
        }
        if isClosed { reading.end(with: .closed) }
        reading.expire(after: settings.resultLifetime)
        return reading
    }

    private func connection() async throws(StoreError) -> DatabaseQueue {
        while true {
            switch state.withLock({ Self.turn(&$0) }) {
            case .use(let queue): return queue
            case .open: return try open()
            case .closed: throw .closed
            case .wait:
                await released.wait { self.state.withLock { $0.isClosed || !$0.free.isEmpty || $0.count < Self.most } }
                if Task.isCancelled { throw StoreError(.cancelled, "the task was cancelled") }
            }
        }
    }

    private static func turn(_ state: inout State) -> Turn {
        if state.isClosed { return .closed }
        if let queue = state.free.popLast() { return .use(queue) }
        guard state.count < most else { return .wait }
        state.count += 1
        return .open
    }

    private func open() throws(StoreError) -> DatabaseQueue {
        do {
            let queue = try DatabaseQueue(path: settings.path, configuration: Connections.resultConfiguration)
            let isClosed = state.withLock { state in
                state.all.append(queue)
                return state.isClosed
            }
            guard isClosed else { return queue }
            try? queue.close()
        } catch {
            state.withLock { $0.count -= 1 }
            released.notify()
            throw StoreError(wrapping: error)
        }
        throw .closed
    }

    /// Takes back a connection whose transaction has ended.
    func give(back queue: DatabaseQueue) {
        state.withLock { state in
            if !state.isClosed { state.free.append(queue) }
        }
        released.notify()
    }

    /// Ends all readings, and closes the connections.
    func close() {
        let (readings, queues) = state.withLock { state in
            state.isClosed = true
            defer { (state.free, state.all) = ([], []) }
            return (state.readings.compactMap(\.reading), state.all)
        }
        for reading in readings { reading.end(with: .closed) }
        for queue in queues { try? queue.close() }
        released.notify()
    }
}

/// The reading of one result. It owns a connection, and gives it back after the last piece, after a failure, when its
/// time is over, or when nothing refers to it any longer.
final class ResultReading: Sendable {
    /// The rows, which only blocks on the connection's queue use.
    private final class Rows: @unchecked Sendable {  // because only blocks on one serial queue use it
        var rows: ResultRows?
        /// `true` after the end, when the connection may belong to another reading.
        var areOver = false
    }

    private enum Phase {
        case reading
        case over
        case failed(StoreError)
    }

    private let queue: DatabaseQueue
    private let connections: ResultConnections
    private let rows = Rows()
    private let phase = Mutex(Phase.reading)

    init(on queue: DatabaseQueue, of connections: ResultConnections) {
        self.queue = queue
        self.connections = connections
    }

    deinit { end(.over) }

    /// Begins the transaction.
    ///
    /// - Parameter body: returns the time of the state, and the rows, or `nil` for an empty result.
    func begin(
        _ body: @escaping @Sendable (Database) throws -> (Timestamp, ResultRows?)
    ) async throws(StoreError) -> Timestamp {
        let rows = rows
        return try await run { db in
            guard !rows.areOver, db.sqliteConnection != nil else { throw StoreError.closed }
            try db.beginReading()
            let (time, result) = try body(db)
            rows.rows = result
            return time
        }
    }

    /// Returns the next documents; `nil` after the last.
    func next() async throws(StoreError) -> [Document]? {
        switch phase.withLock(\.self) {
        case .reading: break
        case .over: return nil
        case .failed(let error): throw error
        }
        let rows = rows
        let piece: [Document]? = try await run { db in try rows.rows?.next(db) }
        // A reading that was ended meanwhile has no rows.
        if case .failed(let error) = phase.withLock(\.self), piece == nil { throw error }
        if piece == nil { end(.over) }
        return piece
    }

    /// Runs the closure on the connection's queue. A cancelled task interrupts it.
    private func run<Answer: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Answer
    ) async throws(StoreError) -> Answer {
        do {
            return try await withTaskCancellationHandler {
                try Task.checkCancellation()
                return try await withCheckedThrowingContinuation { continuation in
                    queue.asyncWriteWithoutTransaction { db in
                        continuation.resume(with: Result { try body(db) })
                    }
                }
            } onCancel: {
                interrupt()
            }
        } catch {
            end(with: StoreError(wrapping: error))
            // The first failure is the reason for all others.
            if case .failed(let first) = phase.withLock(\.self) { throw first }
            throw StoreError(wrapping: error)
        }
    }

    // MARK: Ends

    /// Ends the reading after this time, so that a consumer that has stopped does not keep an old state of the file.
    func expire(after lifetime: Duration) {
        guard lifetime > .zero else { return end(with: .expired) }
        let seconds = Double(lifetime.components.seconds) + Double(lifetime.components.attoseconds) * 1e-18
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in self?.end(with: .expired) }
    }

    /// Ends the reading; later calls of ``next()`` fail with the error. It has no effect if the reading is over.
    func end(with error: StoreError) { end(.failed(error)) }

    private func end(_ last: Phase) {
        let isFirst = phase.withLock { phase in
            guard case .reading = phase else { return false }
            // Afterwards the connection may belong to another reading.
            queue.interrupt()
            phase = last
            return true
        }
        guard isFirst else { return }
        queue.asyncWriteWithoutTransaction { [queue, connections, rows] db in
            rows.rows?.end()
            rows.rows = nil
            rows.areOver = true
            if db.sqliteConnection != nil { db.endReading() }
            connections.give(back: queue)
        }
    }

    private func interrupt() {
        phase.withLock { phase in
            if case .reading = phase { queue.interrupt() }
        }
    }
}

extension StoreError {
    fileprivate static let expired = StoreError(
        .aborted, "the result was read for too long, so its state of the database was released; run the query again")
}
