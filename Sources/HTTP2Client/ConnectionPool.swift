internal import DequeModule
internal import Logging
internal import NIOCore

/// The connections of one group of requests to one server, and the exchanges that wait for room on them.
final class ConnectionPool {
    /// The requests that share a pool.
    struct Key: Hashable {
        let origin: HTTP2Origin
        let group: String
    }

    /// The number of times that a server may turn a request away before that is its answer.
    private static let maximumRefusals = 10

    private static let smallestCeiling = 8

    private let key: Key
    private let configuration: HTTP2Client.Configuration
    private let connector: Connector
    private let counter: StatisticsCounter
    private let logger: Logger
    private var connections: [Connection] = []
    private var waiting: Deque<Exchange> = []
    private var isFilling = false
    /// The number of requests that a connection may carry at most, after connections have been lost: half of what the last one
    /// carried, and one more for each answer since. What broke one may well break the next, and takes less with it.
    private var ceiling: Int

    init(
        _ key: Key, _ configuration: HTTP2Client.Configuration, connector: Connector, counter: StatisticsCounter,
        logger: Logger
    ) {
        self.key = key
        self.configuration = configuration
        self.connector = connector
        self.counter = counter
        self.logger = logger
        ceiling = configuration.maximumStreams
    }

    var isEmpty: Bool { connections.isEmpty && waiting.isEmpty }

    // MARK: Exchanges

    /// Adds an exchange, which is started by the next ``fill()``.
    func enqueue(_ exchange: Exchange) { waiting.append(exchange) }

    /// Starts what waits on the connections that have room, writes it, and opens connections for what has none.
    func fill() {
        // Starting one may take others back.
        guard !isFilling else { return }
        isFilling = true
        defer { isFilling = false }
        let now = NIODeadline.now()
        var started: [Connection] = []
        while let exchange = nextWaiting(), let connection = connection(for: exchange, at: now) {
            waiting.removeFirst()
            connection.start(exchange, at: now)
            if !started.contains(where: { $0 === connection }) { started.append(connection) }
        }
        for connection in started { connection.write() }
    }

    /// Writes what all connections have for the server.
    func write() {
        for connection in connections { connection.write() }
    }

    private func nextWaiting() -> Exchange? {
        // Those that were cancelled have had their answer.
        while let exchange = waiting.first, exchange.isFinished { waiting.removeFirst() }
        return waiting.first
    }

    /// Takes back an exchange that the server has certainly not acted on.
    func takeBack(_ exchange: Exchange) { waiting.prepend(exchange) }

    /// Takes back an exchange that the server has turned away without looking at it.
    func takeBackRefused(_ exchange: Exchange, goAwayText: String?) {
        exchange.refusals += 1
        guard exchange.refusals <= Self.maximumRefusals else {
            let message = "the server has refused the stream \(exchange.refusals) times"
            return exchange.finish(
                .failure(exchange.error(.refused, message, isUnprocessed: true, goAwayText: goAwayText)))
        }
        exchange.startOver()
        takeBack(exchange)
    }

    /// Ends what waits here for a connection.
    func removeWaiting(_ exchange: Exchange) { waiting.removeAll { $0 === exchange } }

    // MARK: Connections

    /// The least loaded connection with room; another one when the open ones cannot carry what there is.
    private func connection(for exchange: Exchange, at now: NIODeadline) -> Connection? {
        if exchange.request.usesNewConnection {
            for connection in connections where !connection.state.isNew(for: exchange.submittedAt) {
                connection.state.retire()
            }
        }
        let usable = connections.filter { $0.state.room > 0 && $0.state.inFlight < ceiling }
        return usable.min { $0.state.inFlight < $1.state.inFlight } ?? openedConnection(at: now)
    }

    private func openedConnection(at now: NIODeadline) -> Connection? {
        let open = connections.filter { !$0.state.isRetired }
        let limit = min(ceiling, open.map(\.state.limit).max() ?? ceiling)
        let demand = waiting.count + open.reduce(0) { $0 + $1.state.inFlight }
        let wanted = (demand + limit - 1) / max(1, limit) + open.count { $0.state.isDoubtful(at: now) }
        guard open.count < min(max(1, configuration.maximumConnections), wanted) else { return nil }
        return newConnection(at: now)
    }

    private func newConnection(at now: NIODeadline) -> Connection {
        let state = ConnectionState(
            streamLimit: configuration.maximumStreams, patience: TimeAmount(configuration.firstAnswerPatience), now: now
        )
        let connection = Connection(state: state, responseLimit: configuration.maximumResponseBytes, pool: self)
        connections.append(connection)
        counter.openedConnection()
        connector.connect(connection, to: key.origin) { [weak self] error in
            self?.connecting(connection, failed: error)
        }
        return connection
    }

    /// Nobody can be sent to: neither what was to go first nor what waits behind it fares better now.
    private func connecting(_ connection: Connection, failed error: ConnectError) {
        var waiting: Deque<Exchange> = []
        if connections.count == 1 { swap(&waiting, &self.waiting) }
        connection.close { $0.error(error.kind, error.message, isUnprocessed: true) }
        for exchange in waiting {
            exchange.finish(.failure(exchange.error(error.kind, error.message, isUnprocessed: true)))
        }
    }

    /// - Parameter lost: the number of requests that it carried, and whose answers nobody will have.
    func connectionDidClose(_ connection: Connection, losing lost: Int) {
        connections.removeAll { $0 === connection }
        if lost > 1 { ceiling = max(Self.smallestCeiling, min(ceiling, lost / 2)) }
        fill()
    }

    /// Notes a good answer.
    func noteAnswer() {
        if ceiling < configuration.maximumStreams { ceiling += 1 }
    }

    func logGoAway(text: String?, error: String) {
        logger.notice(
            "a server ends a connection",
            metadata: ["host": "\(key.origin.authority)", "error": "\(error)", "reason": "\(text ?? "none given")"])
    }

    // MARK: Time

    /// Does what the passing of time asks for: opens connections where an answer is late, asks the silent for a sign of life,
    /// and closes what is dead, and what has been retired and is empty.
    func check(at now: NIODeadline) {
        let (patience, idle) = (
            TimeAmount(configuration.silencePatience), TimeAmount(configuration.idlePingInterval)
        )
        for connection in connections where !connection.isConnecting {
            switch connection.state.check(at: now, patience: patience, idleTime: idle) {
            case .isShort: connection.closeWhenFinished()
            case .wantsPing: connection.ping()
            case .isDead:
                logger.notice(
                    "a server no longer answers on a connection", metadata: ["host": "\(key.origin.authority)"])
                connection.close { $0.error(.connectionLost, "the server answered no PING") }
            }
        }
        fill()
        write()
    }

    /// Ends all connections once they carry nothing.
    func retire() {
        for connection in connections {
            connection.state.retire()
            if connection.isConnecting, connection.state.inFlight == 0 {
                connection.close { $0.error(.closed, "the client was shut down") }
            } else {
                connection.closeWhenFinished()
            }
        }
    }

    /// Ends all connections at once, and all that they carry and that waits.
    func close(_ error: (Exchange) -> HTTP2ClientError) {
        for connection in connections { connection.close(error) }
        let waiting = waiting
        self.waiting = []
        for exchange in waiting { exchange.finish(.failure(error(exchange))) }
    }
}
