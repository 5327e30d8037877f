package import IPAddresses
package import Logging
package import NIOCore
import NIOPosix
import Synchronization

/// A client of HTTP/2 over TLS for many small requests to few servers, with several connections to each.
///
/// It follows the rules of push services. A connection has one request in progress until the first good response,
/// then as many as the server allows. Requests that the server has refused without processing them (RFC 9113 §8.7,
/// the later streams of a GOAWAY) are sent again at once, on a connection that accepts them; this is not a failure. A
/// silent server gets a PING. Requests of different groups share no connection.
package final class HTTP2Client: Sendable {
    /// A callback that is called once with the result of a request, on the client's event loop. It must not block.
    package typealias Completion = @Sendable (Result<HTTP2Response, HTTP2ClientError>) -> Void

    enum Command {
        case start(Exchange)
        case cancel(UInt64)
        case cancelMatching(@Sendable (HTTP2Request) -> Bool)
    }

    private let eventLoop: any EventLoop
    private let proxyRule: ProxyRule
    private let core: NIOLoopBoundBox<ClientCore>
    private let counter = StatisticsCounter()
    private let inbox = Mutex<[Command]>([])
    private let lastNumber = Atomic<UInt64>(0)
    private let isShutDown = Atomic(false)

    /// Makes a client. It opens connections when requests need them.
    ///
    /// - Parameter eventLoop: the event loop of the connections and the completions.
    package init(
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

    /// Sends a request and waits for the response. Cancelling the calling task ends the request.
    package func execute(_ request: HTTP2Request) async throws(HTTP2ClientError) -> HTTP2Response {
        let number = nextNumber()
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                submit(request, as: number) { continuation.resume(returning: $0) }
                // A cancellation before this point had no effect, because the request did not exist.
                if Task.isCancelled { post(.cancel(number)) }
            }
        } onCancel: {
            post(.cancel(number))
        }.get()
    }

    /// Sends a request and calls the completion with its result.
    package func execute(_ request: HTTP2Request, completion: @escaping Completion) {
        submit(request, as: nextNumber(), completion)
    }

    /// A request with the callback that gets its result.
    package typealias Submission = (request: HTTP2Request, completion: Completion)

    /// Sends requests, and calls the completion of each with its result. The event loop wakes up once for all of them.
    package func execute(_ submissions: [Submission]) {
        guard !submissions.isEmpty else { return }
        let commands = submissions.map { submission -> Command in
            .start(exchange(submission.request, as: nextNumber(), submission.completion))
        }
        post { $0 += commands }
    }

    /// Calls a closure on the event loop. The requests that it sends are written together.
    package func executeMany(_ body: @escaping @Sendable () -> Void) { eventLoop.execute(body) }

    /// Cancels the requests in progress that match, which fail with `cancelled`. A later request with the same path
    /// goes over the same connection, behind the reset of its stream, or over another one after that is closed: the
    /// server cannot act on it first.
    package func cancel(where isMatch: @escaping @Sendable (HTTP2Request) -> Bool) { post(.cancelMatching(isMatch)) }

    /// Returns the proxy for connections to a server; `nil` if there is none.
    package func proxy(for origin: HTTP2Origin) -> HTTPProxy? { proxyRule.proxy(for: origin) }

    /// The present counts.
    package var statistics: HTTP2ClientStatistics { counter.snapshot }

    /// Finishes the requests in progress, and closes the connections.
    ///
    /// - Parameter bound: the time for this. Requests that are not finished then fail with `closed`, as does each
    ///   later request at once.
    package func shutdown(within bound: Duration = .seconds(5)) async {
        isShutDown.store(true, ordering: .sequentiallyConsistent)
        await withCheckedContinuation { continuation in
            eventLoop.execute { [self] in
                process()
                core.value.shutDown(by: .now() + TimeAmount(bound)) { continuation.resume() }
            }
        }
    }

    private func nextNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

    private func submit(_ request: HTTP2Request, as number: UInt64, _ completion: @escaping Completion) {
        post(.start(exchange(request, as: number, completion)))
    }

    private func exchange(
        _ request: HTTP2Request, as number: UInt64, _ completion: @escaping Completion
    ) -> Exchange {
        Exchange(number: number, request, at: .now(), counter: counter, completion: completion)
    }

    private func post(_ command: Command) { post { $0.append(command) } }

    /// Adds commands. One iteration of the event loop processes all commands that have arrived until then.
    private func post(_ add: (inout [Command]) -> Void) {
        let isFirst = inbox.withLock { commands in
            let isFirst = commands.isEmpty
            add(&commands)
            return isFirst
        }
        if isFirst { eventLoop.execute { self.process() } }
    }

    private func process() {
        let core = core.value
        inbox.withLock { swap(&$0, &core.commands) }
        for command in core.commands {
            switch command {
            case .start(let exchange):
                if isShutDown.load(ordering: .sequentiallyConsistent) {
                    exchange.finish(.failure(exchange.error(.closed, "the client was shut down", isUnprocessed: true)))
                } else {
                    core.start(exchange)
                }
            case .cancel(let number): core.cancel(number)
            case .cancelMatching(let isMatch): core.cancel(where: isMatch)
            }
        }
        core.removeCommands()
        core.fill()
    }
}

extension HTTP2Client {
    /// The settings for all requests of a client.
    ///
    /// Some are fixed: certificates and host names are always verified, and TLS is 1.2 or later.
    package struct Configuration: Sendable {
        /// The greatest number of open connections to one server for one group of requests. The default is 4.
        package var maximumConnections = 4
        /// The greatest number of requests in progress on one connection. The default is 1,000; a server may allow
        /// fewer.
        package var maximumStreams = 1_000
        /// The greatest number of bytes in a response's body. The default is 1 MiB.
        package var maximumResponseBytes = 1 << 20
        /// `true` to return a response with a longer body too, with that part of it, for callers that need its status.
        /// The rest is not read. By default it is an error.
        package var cutsLongBodies = false
        /// The path of a PEM file with the trusted authorities; `nil` for the system's.
        package var caFile: String?
        /// The proxy, and the hosts that are reached without it. The default is none.
        package var proxy = ProxyRule.direct
        /// Other servers to connect to, by the host of the request in lower case. TLS and the request are for the host
        /// still. The default is none.
        package var connectTo: [String: HTTP2Origin] = [:]
        /// Returns the reason not to use an address that a host has; `nil` to use it. It is asked once a connection to
        /// the address is open, also to a server of ``connectTo``, and before a byte is sent there. It is not asked
        /// about proxies. If it refuses, the connection fails, although the host may have other addresses. The default
        /// is to use all.
        package var refusalOnceConnected: @Sendable (_ address: IPAddress, _ host: String) -> String? = { _, _ in nil }
        /// `true` to offer HTTP/1.1 in the TLS handshake too, so that a server without HTTP/2 shows it: requests to it
        /// fail with ``HTTP2ClientError/Kind/noHTTP2``. Otherwise a server that negotiates nothing is used with HTTP/2.
        package var detectsOtherVersions = false
        /// The time for resolving, connecting and the TLS handshake. The default is 10 s.
        package var connectTimeout = Duration.seconds(10)
        /// The time for which other requests wait for a new connection's first response before another connection is
        /// opened. The default is 500 ms.
        package var firstAnswerPatience = Duration.milliseconds(500)
        /// The time after which a silent server gets a PING while a request waits, and the time that it has to answer
        /// it. The default is 5 s.
        package var silencePatience = Duration.seconds(5)
        /// The time after which a connection without requests gets a PING (RFC 9113 §6.7). The default is 1 h.
        package var idlePingInterval = Duration.seconds(3_600)

        package init() {}
    }
}
