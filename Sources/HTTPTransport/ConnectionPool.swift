/// The connections to one origin in one version of HTTP, and the transfers that wait for room on them.
final class ConnectionPool {
    typealias Instant = ContinuousClock.Instant

    /// What a pool is for.
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

    /// The next transfer and the connection to start it on, as long as there are both.
    ///
    /// A transfer that had been cancelled or whose time was up while it waited is skipped: it has had its answer.
    func next(at now: Instant) -> (Transfer, Connection)? {
        while let connection = connectionWithRoom(at: now), let transfer = waiting.popFirst() {
            if !transfer.isFinished { return (transfer, connection) }
        }
        return nil
    }

    /// Takes out the waiting transfers whose time is up.
    func removeExpired(at now: Instant) -> [Transfer] {
        var expired: [Transfer] = []
        waiting.removeAll { transfer in
            let isExpired = transfer.expiresAt <= now && !transfer.isFinished
            if isExpired { expired.append(transfer) }
            return isExpired || transfer.isFinished
        }
        return expired
    }

    /// Closes what is retired and empty, and what has been idle since before `instant`.
    func closeConnections(idleSince instant: Instant) {
        connections.removeAll { connection in
            connection.state.isFinished || connection.state.inFlight == 0 && connection.state.idleSince < instant
        }
    }

    /// The least loaded connection with room; another one when the open ones cannot carry what there is.
    private func connectionWithRoom(at now: Instant) -> Connection? {
        guard hasWaiting else { return nil }
        let usable = connections.filter { $0.state.room > 0 }
        return usable.min { $0.state.inFlight < $1.state.inFlight } ?? openedConnection(at: now)
    }

    private func openedConnection(at now: Instant) -> Connection? {
        let open = connections.filter { !$0.state.isRetired }
        let perConnection = open.contains { $0.state.version == .http1 } ? 1 : streamLimit
        let demand = waiting.count + open.reduce(0) { $0 + $1.state.inFlight }
        let doubtful = open.count { $0.state.isDoubtful(at: now) }
        let wanted = (demand + perConnection - 1) / perConnection + doubtful
        return open.count < min(connectionLimit, wanted) ? newConnection(at: now) : nil
    }

    private func newConnection(at now: Instant) -> Connection? {
        let state = ConnectionState(streamLimit: streamLimit, patience: patience, now: now)
        guard let connection = Connection(state: state, streamLimit: streamLimit) else { return nil }
        connections.append(connection)
        return connection
    }
}
