import DequeModule
import Logging
import NIOCore

/// The connections to one server for one group of requests, and the exchanges that wait for capacity on them.
final class HTTP2ConnectionPool {
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
    /// The exchanges in the order of their numbers, except those of other threads at the same moment.
    private var waiting: Deque<Exchange> = []
    private var succession = Succession()
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

    var isEmpty: Bool { connections.isEmpty && waiting.isEmpty && !succession.hasFollowers }

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
        // They are older than those that wait for any connection, except those that were taken back.
        startFollowers(of: succession.paths, at: now)
        let paths = startWaiting(at: now)
        startFollowers(of: paths, at: now)
        for connection in connections where connection.hasStarted { connection.write() }
    }

    /// - Returns: the paths of started exchanges that others wait for.
    private func startWaiting(at now: NIODeadline) -> Set<String> {
        var paths: Set<String> = []
        while let exchange = takeWaiting() {
            switch place(for: exchange, at: now) {
            case .on(let connection):
                start(exchange, on: connection, at: now)
                if succession.hasFollowers(of: exchange.request.path) { paths.insert(exchange.request.path) }
            case .behindAnother: succession.hold(exchange)
            case .nowhere:
                takeBack(exchange)
                return paths
            }
        }
        return paths
    }

    private func startFollowers(of paths: some Sequence<String>, at now: NIODeadline) {
        for path in paths {
            while let exchange = succession.first(of: path), case .on(let connection) = place(for: exchange, at: now) {
                succession.removeFirst(of: path)
                start(exchange, on: connection, at: now)
            }
        }
    }

    private func start(_ exchange: Exchange, on connection: Connection, at now: NIODeadline) {
        connection.start(exchange, at: now)
        succession.started(exchange)
    }

    /// Writes the bytes of all connections for the server.
    func write() {
        for connection in connections { connection.write() }
    }

    private func takeWaiting() -> Exchange? {
        while let exchange = waiting.popFirst() {
            // Cancelled exchanges already have their result.
            if !exchange.isFinished { return exchange }
        }
        return nil
    }

    /// Puts back an exchange on which the server has certainly not acted, at its old place.
    func takeBack(_ exchange: Exchange) {
        let position = waiting.firstIndex { $0.number > exchange.number } ?? waiting.endIndex
        waiting.insert(exchange, at: position)
    }

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

    /// Returns `true` if an exchange waits for an earlier one with its path.
    func isHeld(_ exchange: Exchange) -> Bool { succession.holds(exchange) }

    /// Removes an exchange that waits for a connection.
    func removeWaiting(_ exchange: Exchange) {
        waiting.removeAll { $0 === exchange }
        succession.remove(exchange)
    }

    // MARK: Connections

    private enum Place {
        case on(Connection)
        /// It waits for an earlier exchange with the same path.
        case behindAnother
        /// No connection has capacity.
        case nowhere
    }

    /// Returns the connection of an earlier exchange whose order is kept, or else the one with capacity and the lowest
    /// load, or a new one if the open ones are not sufficient.
    private func place(for exchange: Exchange, at now: NIODeadline) -> Place {
        if exchange.request.usesNewConnection {
            for connection in connections where !connection.state.isNew(for: exchange.submittedAt) {
                connection.state.retire()
            }
        }
        if let connection = connections.first(where: { $0.takeReset(of: exchange.request.path) }) {
            if connection.state.room > 0 { return .on(connection) }
            connection.close { $0.error(.connectionLost, "a request had to follow one that was given up") }
        }
        if succession.hasFollowers(before: exchange) { return .behindAnother }
        switch succession.turn(of: exchange) {
        case .on(let connection): return hasCapacity(connection) ? .on(connection) : .behindAnother
        case .behind: return .behindAnother
        case .free: break
        }
        let usable = connections.lazy.filter { self.hasCapacity($0) }
        let connection = usable.min { $0.state.inFlight < $1.state.inFlight } ?? openedConnection(at: now)
        return connection.map(Place.on) ?? .nowhere
    }

    private func hasCapacity(_ connection: Connection) -> Bool {
        connection.state.room > 0 && connection.state.inFlight < ceiling
    }

    private func openedConnection(at now: NIODeadline) -> Connection? {
        let open = connections.filter { !$0.state.isRetired }
        let limit = min(ceiling, open.map(\.state.limit).max() ?? ceiling)
        // With the exchange that needs it.
        let demand = 1 + waiting.count + open.reduce(0) { $0 + $1.state.inFlight }
        let wanted = (demand + limit - 1) / max(1, limit) + open.count { $0.state.isSuspect(at: now) }
        guard open.count < min(max(1, configuration.maximumConnections), wanted) else { return nil }
        return newConnection(at: now)
    }

    private func newConnection(at now: NIODeadline) -> Connection {
        let state = ConnectionState(
            streamLimit: configuration.maximumStreams, patience: TimeAmount(configuration.firstAnswerPatience), now: now
        )
        let connection = Connection(
            state: state, responseLimit: configuration.maximumResponseBytes,
            cutsLongBodies: configuration.cutsLongBodies, pool: self)
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
        if connections.count == 1 {
            swap(&waiting, &self.waiting)
            waiting += succession.removeFollowers()
        }
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
        if connections.allSatisfy({ $0.state.inFlight == 0 }) { succession.removeFinished() }
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
        // Taken away first: the end of a connection would start them on a new one.
        let waiting = waiting + succession.removeFollowers()
        self.waiting = []
        for connection in connections { connection.close(error) }
        for exchange in waiting { exchange.finish(.failure(error(exchange))) }
    }
}
