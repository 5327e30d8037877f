import Dispatch
import Signals
import Synchronization

/// The connections on which results are read in pieces. Each keeps one state of the documents for one result, so they
/// are not those of other reads, of which a slow consumer would take one.
///
/// If all are in use, a result whose consumer has asked for nothing for a while gives its connection to one that waits.
package final class ResultConnections<Kind: ResultConnection>: Sendable {
    /// The greatest number of results that are read at the same time; others wait.
    private static var most: Int { 16 }
    /// The time after which a result that is not asked for its next piece may lose its connection.
    private static var patienceMilliseconds: Int { 100 }

    private struct Entry {
        weak var reading: ResultReading<Kind>?
    }

    private struct State {
        var all: [Kind] = []
        var free: [Kind] = []
        /// The number of connections that are open or being opened.
        var count = 0
        var readings: [Entry] = []
        /// The number of connections that idle results are giving back.
        var coming = 0
        var isClosed = false
    }

    private enum Turn {
        case use(Kind)
        case open, wait, closed
    }

    private let lifetime: Duration
    private let open: @Sendable () throws -> Kind
    private let state = Mutex(State())
    private let released = Signal()

    /// - Parameters:
    ///   - lifetime: the time for which a result can be read.
    ///   - open: opens a connection.
    package init(lifetime: Duration, open: @escaping @Sendable () throws -> Kind) {
        self.lifetime = lifetime
        self.open = open
    }

    /// Returns a reading of a result that has not begun. Waits for a connection if all are in use.
    ///
    /// - Parameter source: begins to read the rows of a query.
    package func reading(
        _ source: @escaping ResultReading<Kind>.Source
    ) async throws(StoreError) -> ResultReading<Kind> {
        let reading = ResultReading(source, on: try await connection(), of: self)
        let isClosed = state.withLock { state in
            state.readings = state.readings.filter { $0.reading != nil } + [Entry(reading: reading)]
            return state.isClosed
        }
        if isClosed { reading.end(with: .closed) }
        reading.expire(after: lifetime)
        return reading
    }

    func connection() async throws(StoreError) -> Kind {
        while true {
            switch state.withLock({ Self.turn(&$0) }) {
            case .use(let connection): return connection
            case .open: return try opened()
            case .closed: throw .closed
            case .wait:
                releaseIdle()
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Self.patienceMilliseconds)) {
                    [released] in released.notify()
                }
                await released.wait { self.state.withLock { Self.canContinue($0) } }
                if Task.isCancelled { throw StoreError.cancelled }
            }
        }
    }

    private static func canContinue(_ state: State) -> Bool {
        state.isClosed || !state.free.isEmpty || state.count < most || longestIdle(state) != nil
    }

    /// Returns the result whose consumer has asked for nothing for the longest time; `nil` if none is idle, or if
    /// another one's connection is about to be free.
    private static func longestIdle(_ state: State) -> ResultReading<Kind>? {
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
            guard let reading = Self.longestIdle(state) else { return nil as ResultReading<Kind>? }
            state.coming += 1
            return reading
        }
        guard let reading, !reading.release() else { return }
        state.withLock { $0.coming -= 1 }
    }

    private static func turn(_ state: inout State) -> Turn {
        if state.isClosed { return .closed }
        if let connection = state.free.popLast() { return .use(connection) }
        guard state.count < most else { return .wait }
        state.count += 1
        return .open
    }

    private func opened() throws(StoreError) -> Kind {
        do {
            let connection = try open()
            let isClosed = state.withLock { state in
                state.all.append(connection)
                return state.isClosed
            }
            guard isClosed else { return connection }
            connection.close()
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
    func give(back connection: Kind, wasIdle: Bool = false) {
        state.withLock { state in
            if wasIdle { state.coming -= 1 }
            if !state.isClosed { state.free.append(connection) }
        }
        released.notify()
    }

    /// Ends all readings, and closes the connections.
    package func close() {
        let (readings, connections) = state.withLock { state in
            state.isClosed = true
            defer { (state.free, state.all) = ([], []) }
            return (state.readings.compactMap(\.reading), state.all)
        }
        for reading in readings { reading.end(with: .closed) }
        for connection in connections { connection.close() }
        released.notify()
    }
}
