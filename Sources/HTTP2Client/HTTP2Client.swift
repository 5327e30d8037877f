public import Logging
public import NIOCore
public import NIOPosix
internal import Synchronization

/// A client of HTTP/2 over TLS for many small requests to few servers: several connections to each, any number of requests.
///
/// It keeps to the rules of push services: a connection carries one request until that is answered well, as many
/// as the server allows afterwards; requests that the server has turned away unseen (RFC 9113 §8.7, a GOAWAY's later
/// streams) go again at once, on a connection that takes them, and are no failure; a silent server is asked for a sign of
/// life by PING. Requests of different groups share no connection.
public final class HTTP2Client: Sendable {
    /// Called once with what became of a request, on the client's event loop, which must not be kept waiting.
    public typealias Completion = @Sendable (Result<HTTP2Response, HTTP2ClientError>) -> Void

    private enum Command {
        case start(Exchange)
        case cancel(UInt64)
    }

    private let eventLoop: any EventLoop
    private let proxyRule: ProxyRule
    private let core: NIOLoopBoundBox<ClientCore>
    private let counter = StatisticsCounter()
    private let inbox = Mutex<[Command]>([])
    private let lastNumber = Atomic<UInt64>(0)
    private let isShutDown = Atomic(false)

    /// - Parameter eventLoop: where connections live and completions are called.
    public init(
        configuration: Configuration = Configuration(),
        eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next(), logger: Logger
    ) {
        self.eventLoop = eventLoop
        proxyRule = configuration.proxy
        core = .makeBoxSendingValue(
            ClientCore(configuration, on: eventLoop, counter: counter, logger: logger), eventLoop: eventLoop)
    }

    deinit {
        eventLoop.execute { [core] in core.value.shutDown(by: .now()) {} }
    }

    /// Makes a request and waits for its answer. Cancelling the calling task ends the request.
    public func execute(_ request: HTTP2Request) async throws(HTTP2ClientError) -> HTTP2Response {
        let number = nextNumber()
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                submit(request, as: number) { continuation.resume(returning: $0) }
                // A cancellation before this point has found nothing to cancel.
                if Task.isCancelled { post(.cancel(number)) }
            }
        } onCancel: {
            post(.cancel(number))
        }.get()
    }

    /// Makes a request and reports its answer later.
    public func execute(_ request: HTTP2Request, completion: @escaping Completion) {
        submit(request, as: nextNumber(), completion)
    }

    /// Returns the proxy that connections to a server go through; `nil` if there is none.
    public func proxy(for origin: HTTP2Origin) -> HTTPProxy? { proxyRule.proxy(for: origin) }

    /// The counts so far.
    public var statistics: HTTP2ClientStatistics { counter.snapshot }

    /// Lets the requests finish that are under way, and closes the connections.
    ///
    /// - Parameter bound: the time for that; what is not finished then fails with `closed`. So does every request made from
    ///   now on, at once.
    public func shutdown(within bound: Duration = .seconds(5)) async {
        isShutDown.store(true, ordering: .sequentiallyConsistent)
        await withCheckedContinuation { continuation in
            eventLoop.execute { [self] in
                obey()
                core.value.shutDown(by: .now() + TimeAmount(bound)) { continuation.resume() }
            }
        }
    }

    private func nextNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

    private func submit(_ request: HTTP2Request, as number: UInt64, _ completion: @escaping Completion) {
        counter.began()
        let exchange = Exchange(number: number, request, at: .now()) { [counter] result in
            counter.finished()
            completion(result)
        }
        post(.start(exchange))
    }

    /// One turn of the event loop takes all commands that have come by then.
    private func post(_ command: Command) {
        let isFirst = inbox.withLock { commands in
            commands.append(command)
            return commands.count == 1
        }
        if isFirst { eventLoop.execute { self.obey() } }
    }

    private func obey() {
        let commands = inbox.withLock { commands in
            defer { commands = [] }
            return commands
        }
        for command in commands {
            switch command {
            case .start(let exchange):
                if isShutDown.load(ordering: .sequentiallyConsistent) {
                    exchange.finish(.failure(exchange.error(.closed, "the client was shut down", isUnprocessed: true)))
                } else {
                    core.value.start(exchange)
                }
            case .cancel(let number): core.value.cancel(number)
            }
        }
        core.value.fill()
    }
}
