internal import CCurl
internal import Logging

/// What the transport's thread runs: takes commands, lets libcurl work, and hands out the answers.
final class EventLoop {
    typealias Instant = ContinuousClock.Instant

    private let inbox: Inbox
    private let logger: Logger
    let configuration: HTTPClient.Configuration
    let counter: StatisticsCounter
    var pools: [ConnectionPool.Key: ConnectionPool] = [:]
    var live: [RequestID: Transfer] = [:]
    var handles: EasyHandlePool
    private var poller: Poller
    private var shutDownBy: Instant?

    init(_ configuration: HTTPClient.Configuration, inbox: Inbox, counter: StatisticsCounter, logger: Logger) {
        self.configuration = configuration
        self.inbox = inbox
        self.counter = counter
        self.logger = logger
        handles = EasyHandlePool(configuration)
        poller = Poller(wakeUp: inbox.readEnd)
        poller.reset()
    }

    /// Runs until the client is shut down and nothing is left, or the time for that is up.
    func run() {
        logger.debug("HTTP transport started", metadata: ["libcurl": "\(String(cString: curl_version()))"])
        repeat {
            let now = Instant.now
            obey(inbox.take(wasWoken: poller.wasWoken))
            for event in poller.events where event.connection.sockets[event.socket] != nil {
                event.connection.act(on: event.socket, events: event.curlEvents)
            }
            settle(at: now)
            guard !isDone(at: now) else { break }
            wait(from: now)
        } while true
        end()
    }

    private func obey(_ commands: [Command]) {
        for command in commands {
            switch command {
            case .start(let transfer): accept(transfer)
            case .cancel(let id): cancel(id)
            case .shutDown(let instant): shutDownBy = min(instant, shutDownBy ?? instant)
            }
        }
    }

    /// Starts what there is room for and collects what is finished, until neither changes anything.
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
        logger.debug("HTTP transport ended")
    }

    /// How soon a waiting transfer whose time is up is noticed.
    private static let waitingCheck = Duration.milliseconds(50)
    /// How soon an idle connection whose time is up is noticed.
    private static let idleCheck = Duration.seconds(30)
}
