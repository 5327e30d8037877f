import Dispatch
import GRDB
import Signals
import Synchronization

/// The connections on which results are read in pieces. Each keeps one state of the file for one result, so they are
/// not GRDB's readers, of which a slow consumer would take one from all other reads.
///
/// If all are in use, a result whose consumer has asked for nothing for a while gives its connection to one that waits.
final class ResultConnections: Sendable {
    /// The greatest number of results that are read at the same time; others wait.
    private static let most = 16
    /// The time after which a result that is not asked for its next piece may lose its connection.
    private static let patienceMilliseconds = 100

    private struct Entry {
        weak var reading: ResultReading?
    }

    private struct State {
        var all: [DatabaseQueue] = []
        var free: [DatabaseQueue] = []
        /// The number of connections that are open or being opened.
        var count = 0
        var readings: [Entry] = []
        /// The number of connections that idle results are giving back.
        var coming = 0
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
    ///
    /// - Parameter source: begins to read the rows of a query.
    func reading(_ source: @escaping ResultReading.Source) async throws(StoreError) -> ResultReading {
        let reading = ResultReading(source, on: try await connection(), of: self)
        let isClosed = state.withLock { state in
            state.readings = state.readings.filter { $0.reading != nil } + [Entry(reading: reading)]
            return state.isClosed
        }
        if isClosed { reading.end(with: .closed) }
        reading.expire(after: settings.resultLifetime)
        return reading
    }

    func connection() async throws(StoreError) -> DatabaseQueue {
        while true {
            switch state.withLock({ Self.turn(&$0) }) {
            case .use(let queue): return queue
            case .open: return try open()
            case .closed: throw .closed
            case .wait:
                releaseIdle()
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Self.patienceMilliseconds)) {
                    [released] in released.notify()
                }
                await released.wait { self.state.withLock { Self.canContinue($0) } }
                if Task.isCancelled { throw StoreError(.cancelled, "the task was cancelled") }
            }
        }
    }

    private static func canContinue(_ state: State) -> Bool {
        state.isClosed || !state.free.isEmpty || state.count < most || longestIdle(state) != nil
    }

    /// Returns the result whose consumer has asked for nothing for the longest time; `nil` if none is idle, or if another
    /// one's connection is about to be free.
    private static func longestIdle(_ state: State) -> ResultReading? {
        guard state.coming == 0 else { return nil }
        let now = ContinuousClock.now
        let idle = state.readings.compactMap { entry in entry.reading.flatMap { one in one.idleSince.map { (one, $0) } }
        }
        guard let (reading, since) = idle.min(by: { $0.1 < $1.1 }), now - since >= .milliseconds(patienceMilliseconds)
        else { return nil }
        return reading
    }

    /// Lets the result that is idle for the longest time give its connection back.
    private func releaseIdle() {
        let reading = state.withLock { state in
            guard let reading = Self.longestIdle(state) else { return nil as ResultReading? }
            state.coming += 1
            return reading
        }
        guard let reading, !reading.release() else { return }
        state.withLock { $0.coming -= 1 }
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
    ///
    /// - Parameter wasIdle: `true` if its result is not over.
    func give(back queue: DatabaseQueue, wasIdle: Bool = false) {
        state.withLock { state in
            if wasIdle { state.coming -= 1 }
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
