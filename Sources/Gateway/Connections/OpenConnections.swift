internal import Logging
internal import Metrics
internal import NIOCore
internal import Synchronization

/// The connections to all listeners, of which there are never so many that descriptors run out.
///
/// There is no bound by address: an SDK opens 500, and a proxy has every client's. When there are too many in all, the
/// oldest idle one of the address with the most idle ones makes room for the next.
final class OpenConnections: Sendable {
    /// Between two lines in the log.
    private static let reportInterval = TimeAmount.seconds(10)

    private struct State {
        var open: [ObjectIdentifier: OpenConnection] = [:]
        /// Those that are being closed, and still open.
        var closing: Set<ObjectIdentifier> = []
        var unreported = 0
        var nextReport = NIODeadline.uptimeNanoseconds(0)
    }

    private let capacity: Int
    private let logger: Logger
    private let state = Mutex(State())
    private let gauge = Meter(label: "pushgate_connections_open")
    private let closed = Counter(
        label: "pushgate_connections_closed_total", dimensions: [("reason", "descriptors")])

    /// - Parameter capacity: how many may be open.
    init(capacity: Int, logger: Logger) {
        self.capacity = capacity
        self.logger = logger
    }

    /// Counts a new connection until it is closed, and closes others when there are too many.
    func add(_ channel: any Channel) -> OpenConnection {
        let connection = OpenConnection(channel)
        let evicted = state.withLock { state in
            state.open[ObjectIdentifier(connection)] = connection
            let excess = state.open.count - state.closing.count - capacity
            return excess > 0 ? evict(max(excess, batch), &state) : []
        }
        gauge.increment()
        connection.whenClosed { self.remove(ObjectIdentifier(connection)) }
        close(evicted)
        return connection
    }

    /// Makes room after descriptors have run out all the same.
    func relieve() { close(state.withLock { evict(batch, &$0) }) }

    /// In a flood of connections a look at all of them pays for several.
    private var batch: Int { max(1, capacity / 512) }

    private func remove(_ id: ObjectIdentifier) {
        state.withLock { state in
            state.open[id] = nil
            state.closing.remove(id)
        }
        gauge.decrement()
    }

    private func evict(_ count: Int, _ state: inout State) -> [OpenConnection] {
        let closing = state.closing
        let candidates = state.open.lazy.filter { !closing.contains($0.key) }.map(\.value)
        let evicted = Eviction.choose(count, among: candidates)
        state.closing.formUnion(evicted.map { ObjectIdentifier($0) })
        state.unreported += evicted.count
        return evicted
    }

    private func close(_ connections: [OpenConnection]) {
        guard let first = connections.first else { return }
        for connection in connections { connection.close() }
        closed.increment(by: connections.count)
        report(first.address)
    }

    private func report(_ address: IPAddress?) {
        let now = NIODeadline.now()
        let counts = state.withLock { state -> (closed: Int, open: Int)? in
            guard now >= state.nextReport else { return nil }
            defer { (state.unreported, state.nextReport) = (0, now + Self.reportInterval) }
            return (state.unreported, state.open.count)
        }
        guard let counts else { return }
        logger.warning(
            "closing idle connections: descriptors are running out",
            metadata: [
                "closed": "\(counts.closed)", "open": "\(counts.open)", "most": "\(capacity)",
                "client": "\(address?.limitKey ?? "unknown")",
            ])
    }
}
