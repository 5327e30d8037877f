import Logging
import NIOCore

/// The part of a client on its event loop: the pools, the exchanges in progress, and a clock for deadlines.
final class ClientCore {
    /// The interval of checks for deadlines and silent connections while requests are in progress.
    private static let tick = TimeAmount.milliseconds(50)
    /// The interval of these checks while no request is in progress.
    private static let idleTick = TimeAmount.seconds(1)

    /// The number of commands for which memory is kept.
    private static let mostKeptCommands = 1_024

    /// The commands in progress. Its memory and that of the client's inbox take turns.
    var commands: [HTTP2Client.Command] = []
    private let configuration: HTTP2Client.Configuration
    private let eventLoop: any EventLoop
    private let connector: Connector
    private let counter: StatisticsCounter
    private let logger: Logger
    private var pools: [HTTP2ConnectionPool.Key: HTTP2ConnectionPool] = [:]
    private var live: [UInt64: (exchange: Exchange, pool: HTTP2ConnectionPool)] = [:]
    private var clock: (task: Scheduled<Void>, delay: TimeAmount)?
    private var shutdown: (deadline: NIODeadline, completion: () -> Void)?

    init(
        _ configuration: HTTP2Client.Configuration, on eventLoop: any EventLoop, counter: StatisticsCounter,
        logger: Logger
    ) {
        self.configuration = configuration
        self.eventLoop = eventLoop
        self.counter = counter
        self.logger = logger
        connector = Connector(configuration, on: eventLoop)
    }

    /// Forgets the commands that were processed.
    func removeCommands() {
        commands.removeAll(keepingCapacity: commands.capacity <= Self.mostKeptCommands)
    }

    func start(_ exchange: Exchange) {
        guard exchange.expiresAt > .now() else {
            return exchange.finish(.failure(exchange.error(.timedOut, "the deadline has passed", isUnprocessed: true)))
        }
        let pool = pool(for: exchange)
        live[exchange.number] = (exchange, pool)
        pool.enqueue(exchange)
        startClock()
    }

    func cancel(_ number: UInt64) {
        guard let (exchange, pool) = live.removeValue(forKey: number), !exchange.isFinished else { return }
        exchange.connection?.state.abandoned()
        end(exchange, in: pool, exchange.error(.cancelled, "the request was cancelled"))
    }

    func cancel(where isMatch: (HTTP2Request) -> Bool) {
        for (number, entry) in live where isMatch(entry.exchange.request) {
            entry.exchange.connection?.noteReset(of: entry.exchange.request.path)
            cancel(number)
        }
    }

    /// Starts the waiting exchanges for which connections have capacity, and writes them.
    func fill() {
        for pool in pools.values {
            pool.fill()
            pool.write()
        }
    }

    /// Finishes the requests in progress, then closes all connections.
    ///
    /// - Parameter completion: called after the last connection is closed.
    func shutDown(by deadline: NIODeadline, completion: @escaping () -> Void) {
        let earlier = shutdown?.completion
        shutdown = (
            min(deadline, shutdown?.deadline ?? deadline),
            {
                earlier?()
                completion()
            }
        )
        startClock()
        check()
    }

    private func pool(for exchange: Exchange) -> HTTP2ConnectionPool {
        let key = HTTP2ConnectionPool.Key(
            origin: exchange.request.headers.origin, group: exchange.request.connectionGroup)
        if let pool = pools[key] { return pool }
        let pool = HTTP2ConnectionPool(key, configuration, connector: connector, counter: counter, logger: logger)
        pools[key] = pool
        return pool
    }

    private func end(_ exchange: Exchange, in pool: HTTP2ConnectionPool, _ error: HTTP2ClientError) {
        exchange.finish(.failure(error))
        if let connection = exchange.connection { connection.abandon(exchange) } else { pool.removeWaiting(exchange) }
    }

    // MARK: Time

    private func startClock() {
        let delay = live.isEmpty && shutdown == nil ? Self.idleTick : Self.tick
        if let clock, clock.delay <= delay { return }
        clock?.task.cancel()
        clock = (eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in self?.check() }, delay)
    }

    private func check() {
        let now = NIODeadline.now()
        clock?.task.cancel()
        clock = nil
        expire(at: now)
        for (key, pool) in pools {
            pool.check(at: now)
            if pool.isEmpty { pools[key] = nil }
        }
        if shutdown != nil { goOnShuttingDown(at: now) }
        if !pools.isEmpty || !live.isEmpty || shutdown != nil { startClock() }
    }

    private func expire(at now: NIODeadline) {
        for (number, entry) in live where entry.exchange.isFinished || entry.exchange.expiresAt <= now {
            live[number] = nil
            let exchange = entry.exchange
            guard !exchange.isFinished else { continue }
            exchange.connection?.state.timedOut(startedAt: exchange.startedAt)
            end(exchange, in: entry.pool, timeOut(of: exchange, in: entry.pool))
        }
    }

    private func timeOut(of exchange: Exchange, in pool: HTTP2ConnectionPool) -> HTTP2ClientError {
        guard exchange.connection == nil else { return exchange.error(.timedOut, "no response arrived in time") }
        guard pool.isHeld(exchange) else {
            return exchange.error(.timedOut, "the deadline passed before a connection was free")
        }
        let message = "the deadline passed while the request waited for an earlier one with the same path"
        return exchange.error(.timedOut, message, isBehindAnother: true)
    }

    private func goOnShuttingDown(at now: NIODeadline) {
        if let shutdown, now >= shutdown.deadline {
            for pool in pools.values {
                pool.close { $0.error(.closed, "the client was shut down") }
            }
            pools = [:]
            live = [:]
        }
        live = live.filter { !$0.value.exchange.isFinished }
        guard live.isEmpty else { return }
        for pool in pools.values { pool.retire() }
        pools = pools.filter { !$0.value.isEmpty }
        guard pools.isEmpty, let completion = shutdown?.completion else { return }
        shutdown = nil
        completion()
    }
}
