/// The connections to one origin with one version of HTTP, and the transfers that wait for capacity on them.
final class OriginConnectionPool {
    typealias Instant = ContinuousClock.Instant

    /// The properties that transfers of one pool share.
    struct Key: Hashable {
        let origin: Origin
        let version: HTTPClientRequest.Version

        init(_ transfer: Transfer) {
            origin = transfer.origin
            version = transfer.request.version
        }
    }

    private let connectionLimit: Int
    private let streamLimit: Int
    private let patience: Duration
    private(set) var connections: [Connection] = []
    private var waiting = FIFO<Transfer>()

    init(_ version: HTTPClientRequest.Version, _ configuration: HTTPClient.Configuration) {
        connectionLimit = max(1, configuration.maximumConnectionsPerHost)
        patience = configuration.firstAnswerPatience
        streamLimit = version == .http2 ? max(1, configuration.maximumStreamsPerConnection) : 1
    }

    var hasWaiting: Bool { !waiting.isEmpty }
    var isEmpty: Bool { connections.isEmpty && waiting.isEmpty }

    func enqueue(_ transfer: Transfer) {
        waiting.append(transfer)
    }

    /// Returns the next waiting transfer and a connection for it; `nil` if there is no transfer or no capacity.
    ///
    /// Skips transfers that were cancelled or timed out while they waited, because they already have their result.
    func next(at now: Instant) -> (Transfer, Connection)? {
        while let connection = connectionWithRoom(at: now), let transfer = waiting.popFirst() {
            if !transfer.isFinished { return (transfer, connection) }
        }
        return nil
    }

    /// Removes and returns the waiting transfers whose deadline has passed.
    func removeExpired(at now: Instant) -> [Transfer] {
        var expired: [Transfer] = []
        waiting.removeAll { transfer in
            let isExpired = transfer.expiresAt <= now && !transfer.isFinished
            if isExpired { expired.append(transfer) }
            return isExpired || transfer.isFinished
        }
        return expired
    }

    /// Lets no further transfer begin on the open connections.
    func retireConnections() {
        for connection in connections { connection.state.retire() }
    }

    /// Closes the connections that are retired and empty, and those that have been idle since before the instant.
    func closeConnections(idleSince instant: Instant) {
        connections.removeAll { connection in
            connection.state.isFinished || connection.state.inFlight == 0 && connection.state.idleSince < instant
        }
    }

    /// Returns the connection with capacity and the lowest load, or a new one if the open ones are not sufficient.
    private func connectionWithRoom(at now: Instant) -> Connection? {
        guard hasWaiting else { return nil }
        let usable = connections.filter { $0.state.room > 0 }
        return usable.min { $0.state.inFlight < $1.state.inFlight } ?? openedConnection(at: now)
    }

    private func openedConnection(at now: Instant) -> Connection? {
        let open = connections.filter { !$0.state.isRetired }
        let perConnection = open.contains { $0.state.version == .http1 } ? 1 : streamLimit
        let demand = waiting.count + open.reduce(0) { $0 + $1.state.inFlight }
        let suspects = open.count { $0.state.isSuspect(at: now) }
        let wanted = (demand + perConnection - 1) / perConnection + suspects
        return open.count < min(connectionLimit, wanted) ? newConnection(at: now) : nil
    }

    private func newConnection(at now: Instant) -> Connection? {
        let state = ConnectionCapacity(streamLimit: streamLimit, patience: patience, now: now)
        guard let connection = Connection(state: state, streamLimit: streamLimit) else { return nil }
        connections.append(connection)
        return connection
    }
}

/// A first-in, first-out queue. Appending and removing take constant time on average.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        compact()
        return element
    }

    mutating func removeAll(where shouldRemove: (Element) -> Bool) {
        elements = elements[head...].filter { $0.map(shouldRemove) == false }
        head = 0
    }

    /// Moves the elements when half of the storage is unused, so that each element moves once on average.
    private mutating func compact() {
        guard head >= 64, head * 2 >= elements.count else { return }
        elements.removeFirst(head)
        head = 0
    }
}
