import CCurl
import Logging

/// The loop of the transport's thread: it processes commands, calls libcurl, and reports results.
final class EventLoop {
    typealias Instant = ContinuousClock.Instant

    private let inbox: CommandQueue
    private let logger: Logger
    let configuration: HTTPClient.Configuration
    let counter: StatisticsCounter
    var pools: [OriginConnectionPool.Key: OriginConnectionPool] = [:]
    var live: [RequestID: Transfer] = [:]
    var handles: EasyHandlePool
    private var poller: Poller
    private var shutDownBy: Instant?

    init(_ configuration: HTTPClient.Configuration, inbox: CommandQueue, counter: StatisticsCounter, logger: Logger) {
        self.configuration = configuration
        self.inbox = inbox
        self.counter = counter
        self.logger = logger
        handles = EasyHandlePool(configuration)
        poller = Poller(wakeUp: inbox.readEnd)
        poller.reset()
    }

    /// Runs until the client is shut down and all requests are finished, or the time for that has passed.
    func run() {
        logger.debug("started HTTP transport", metadata: ["libcurl": "\(String(cString: curl_version()))"])
        repeat {
            let now = Instant.now
            process(inbox.take(wasWoken: poller.wasWoken))
            for event in poller.events where event.connection.sockets[event.socket] != nil {
                event.connection.act(on: event.socket, events: event.curlEvents)
            }
            settle(at: now)
            guard !isDone(at: now) else { break }
            wait(from: now)
        } while true
        end()
    }

    private func process(_ commands: [Command]) {
        for command in commands {
            switch command {
            case .start(let transfer): accept(transfer)
            case .cancel(let id): cancel(id)
            case .cancelMatching(let isMatch): cancel(where: isMatch)
            case .renewConnections: for pool in pools.values { pool.retireConnections() }
            case .shutDown(let instant): shutDownBy = min(instant, shutDownBy ?? instant)
            }
        }
    }

    /// Starts waiting transfers and collects finished ones, until neither has an effect.
    private func settle(at now: Instant) {
        expireWaiting(at: now)
        repeat {
            startWaiting(at: now)
            for pool in pools.values { for connection in pool.connections { connection.act(at: .now) } }
        } while collectFinished() > 0
        closeIdleConnections(at: now)
    }

    private func isDone(at now: Instant) -> Bool {
        shutDownBy.map { live.isEmpty || $0 <= now } ?? false
    }

    private func wait(from now: Instant) {
        poller.reset()
        var instant = now + (pools.values.contains { $0.hasWaiting } ? Self.waitingCheck : Self.idleCheck)
        for pool in pools.values {
            for connection in pool.connections {
                poller.watch(connection)
                instant = min(instant, connection.wakesAt ?? instant)
            }
        }
        poller.wait(until: min(instant, shutDownBy ?? instant))
    }

    private func end() {
        for transfer in live.values {
            finish(transfer, .failure(.closed(host: transfer.origin.authority, isUnprocessed: abandon(transfer))))
        }
        pools = [:]
        logger.debug("stopped HTTP transport")
    }

    /// The greatest delay with which the loop notices that a waiting transfer has timed out.
    private static let waitingCheck = Duration.milliseconds(50)
    /// The greatest delay with which the loop notices that an idle connection must be closed.
    private static let idleCheck = Duration.seconds(30)
}

extension EventLoop {
    func accept(_ transfer: Transfer) {
        live[transfer.id] = transfer
        pool(OriginConnectionPool.Key(transfer)).enqueue(transfer)
    }

    /// Ends a transfer at its caller's request, unless it is already finished.
    func cancel(_ id: RequestID) {
        guard let transfer = live[id] else { return }
        let host = transfer.origin.authority
        finish(transfer, .failure(.cancelled(host: host, isUnprocessed: abandon(transfer))))
    }

    private func cancel(where isMatch: (HTTPClientRequest) -> Bool) {
        for (id, transfer) in live where isMatch(transfer.request) { cancel(id) }
    }

    func startWaiting(at now: Instant) {
        for pool in pools.values {
            while let (transfer, connection) = pool.next(at: now) {
                start(transfer, on: connection)
            }
        }
    }

    func expireWaiting(at now: Instant) {
        for pool in pools.values where pool.hasWaiting {
            for transfer in pool.removeExpired(at: now) {
                finish(transfer, .failure(.waitedTooLong(host: transfer.origin.authority)))
            }
        }
    }

    /// Reports the results of the transfers that libcurl has finished, and returns their number.
    func collectFinished() -> Int {
        var count = 0
        for pool in pools.values {
            for connection in pool.connections {
                while let finished = connection.nextFinished() {
                    settle(finished, on: connection)
                    count += 1
                }
            }
        }
        return count
    }

    func closeIdleConnections(at now: Instant) {
        closeExcessConnections()
        for (key, pool) in pools {
            pool.closeConnections(idleSince: now - configuration.idleLifetime)
            if pool.isEmpty { pools[key] = nil }
        }
    }

    /// Closes the connections that are idle for the longest time, if there are more than allowed.
    private func closeExcessConnections() {
        let count = pools.values.reduce(0) { $0 + $1.connections.count }
        guard count > configuration.maximumConnections else { return }
        let idle = pools.values.flatMap(\.connections).filter { $0.state.inFlight == 0 }.map(\.state.idleSince).sorted()
        guard let last = idle.prefix(count - configuration.maximumConnections).last else { return }
        for pool in pools.values { pool.closeConnections(idleSince: last + .nanoseconds(1)) }
    }

    /// Removes a transfer and calls its completion with the result.
    func finish(_ transfer: Transfer, _ result: Result<HTTPClientResponse, HTTPClientError>) {
        live[transfer.id] = nil
        counter.finished(result)
        transfer.finish(result)
    }

    /// Removes a transfer from its connection. Returns `true` if the server has certainly not acted on it.
    func abandon(_ transfer: Transfer) -> Bool {
        guard let connection = transfer.connection, let handle = connection.abandon(transfer) else { return true }
        connection.state.failed(.cancelled, startedAt: transfer.startedAt ?? transfer.submittedAt, at: .now)
        counter.opened(handle.number(CURLINFO_NUM_CONNECTS))
        return !handle.wasSent
    }

    private func pool(_ key: OriginConnectionPool.Key) -> OriginConnectionPool {
        if let pool = pools[key] { return pool }
        let pool = OriginConnectionPool(key.version, configuration)
        pools[key] = pool
        return pool
    }

    private func start(_ transfer: Transfer, on connection: Connection) {
        guard let handle = handles.take() else {
            return finish(transfer, .failure(.resources("memory is short", host: transfer.origin.authority)))
        }
        let now = Instant.now
        transfer.startedAt = now
        handle.prepare(transfer, remaining: now.duration(to: transfer.expiresAt))
        connection.start(transfer, on: handle, at: now)
    }

    private func settle(_ finished: Connection.Finished, on connection: Connection) {
        let transfer = finished.transfer
        switch outcome(of: finished) {
        case .success(let response):
            connection.state.answered(response.version, at: .now)
            if response.connectionsOpened == 0, finished.code == CURLE_OK { handles.giveBack(finished.handle) }
            finish(transfer, .success(response))
        case .failure(let error):
            connection.state.failed(error.kind, startedAt: transfer.startedAt ?? transfer.submittedAt, at: .now)
            counter.opened(finished.handle.number(CURLINFO_NUM_CONNECTS))
            finish(transfer, .failure(error))
        }
    }

    private func outcome(of finished: Connection.Finished) -> Result<HTTPClientResponse, HTTPClientError> {
        let (transfer, handle) = (finished.transfer, finished.handle)
        guard !transfer.collector.isHeadTooLarge else {
            let limit = configuration.maximumHeadBytes
            return .failure(.tooLarge("head", host: transfer.origin.authority, limit: limit))
        }
        guard !transfer.collector.isTooLarge else {
            if configuration.cutsLongBodies { return .success(handle.response(to: transfer)) }
            let limit = configuration.maximumResponseBytes
            return .failure(.tooLarge("body", host: transfer.origin.authority, limit: limit))
        }
        guard finished.code == CURLE_OK else {
            if let reason = handle.addressRule?.refusalOfAll {
                return .failure(.refusedAddress(reason, host: transfer.origin.authority))
            }
            return .failure(
                HTTPClientError(
                    finished.code, words: handle.words(for: finished.code), origin: transfer.origin,
                    path: transfer.path, wasSent: handle.wasSent))
        }
        return .success(handle.response(to: transfer))
    }
}
