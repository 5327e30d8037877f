import DequeModule
import Logging
import NIOCore

/// The connections to one server for one group of requests, and the exchanges that wait for capacity on them.
final class ConnectionPool {
    /// The properties that requests of one pool share.
    struct Key: Hashable {
        let origin: HTTP2Origin
        let group: String
    }

    /// The number of refusals of a request by the server after which the request fails.
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
    /// The limit of requests on one connection after connections were lost: half of the number on the last lost one,
    /// plus one for each response since. The cause of the loss may also break the next connection, which then loses
    /// fewer requests.
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

    /// Adds an exchange. The next ``fill()`` starts it.
    func enqueue(_ exchange: Exchange) { waiting.append(exchange) }

    /// Starts waiting exchanges on the connections with capacity, writes them, and opens connections for the others.
    func fill() {
        // Starting an exchange may return others to the pool.
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

    /// Writes the bytes of all connections for the server.
    func write() {
        for connection in connections { connection.write() }
    }

    private func nextWaiting() -> Exchange? {
        // Cancelled exchanges already have their result.
        while let exchange = waiting.first, exchange.isFinished { waiting.removeFirst() }
        return waiting.first
    }

    /// Puts back an exchange on which the server has certainly not acted.
    func takeBack(_ exchange: Exchange) { waiting.prepend(exchange) }

    /// Puts back an exchange that the server has refused without processing it.
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

    /// Removes an exchange that waits for a connection.
    func removeWaiting(_ exchange: Exchange) { waiting.removeAll { $0 === exchange } }

    // MARK: Connections

    /// Returns the connection with capacity and the lowest load, or a new one if the open ones are not sufficient.
    private func connection(for exchange: Exchange, at now: NIODeadline) -> Connection? {
        if exchange.request.usesNewConnection {
            for connection in connections where !connection.state.isNew(for: exchange.submittedAt) {
                connection.state.retire()
            }
        }
        if let connection = connections.first(where: { $0.takeReset(of: exchange.request.path) }) {
            if connection.state.room > 0 { return connection }
            connection.close { $0.error(.connectionLost, "a request had to follow one that was given up") }
        }
        let usable = connections.filter { $0.state.room > 0 && $0.state.inFlight < ceiling }
        return usable.min { $0.state.inFlight < $1.state.inFlight } ?? openedConnection(at: now)
    }

    private func openedConnection(at now: NIODeadline) -> Connection? {
        let open = connections.filter { !$0.state.isRetired }
        let limit = min(ceiling, open.map(\.state.limit).max() ?? ceiling)
        let demand = waiting.count + open.reduce(0) { $0 + $1.state.inFlight }
        let wanted = (demand + limit - 1) / max(1, limit) + open.count { $0.state.isSuspect(at: now) }
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

    /// Handles a failed connection. If there is no other one, the waiting exchanges fail too, because they would meet
    /// the same error.
    private func connecting(_ connection: Connection, failed error: ConnectError) {
        var waiting: Deque<Exchange> = []
        if connections.count == 1 { swap(&waiting, &self.waiting) }
        connection.close { $0.error(error.kind, error.message, isUnprocessed: true) }
        for exchange in waiting {
            exchange.finish(.failure(exchange.error(error.kind, error.message, isUnprocessed: true)))
        }
    }

    /// Removes a closed connection.
    ///
    /// - Parameter lost: the number of its requests whose responses are lost.
    func connectionDidClose(_ connection: Connection, losing lost: Int) {
        connections.removeAll { $0 === connection }
        if lost > 1 { ceiling = max(Self.smallestCeiling, min(ceiling, lost / 2)) }
        fill()
    }

    /// Raises the limit of a connection after a good response.
    func noteAnswer() {
        if ceiling < configuration.maximumStreams { ceiling += 1 }
    }

    func logGoAway(text: String?, error: String) {
        logger.notice(
            "received GOAWAY",
            metadata: ["host": "\(key.origin.authority)", "error": "\(error)", "reason": "\(text ?? "none given")"])
    }

    // MARK: Time

    /// Performs the actions that are due: opens connections if a response is late, sends PING to silent servers, and
    /// closes connections that are dead, or retired and empty.
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
                    "closed a connection without an answer to PING", metadata: ["host": "\(key.origin.authority)"])
                connection.close { $0.error(.connectionLost, "the server did not answer PING") }
            }
        }
        fill()
        write()
    }

    /// Closes each connection as soon as it has no exchanges.
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

    /// Closes all connections at once. All exchanges fail, the waiting ones included.
    func close(_ error: (Exchange) -> HTTP2ClientError) {
        for connection in connections { connection.close(error) }
        let waiting = waiting
        self.waiting = []
        for exchange in waiting { exchange.finish(.failure(error(exchange))) }
    }
}
