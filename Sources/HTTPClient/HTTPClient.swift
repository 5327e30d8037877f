import CCurl
package import IPAddresses
package import Logging
import Synchronization

/// An HTTP client over libcurl: one thread, any number of requests, and HTTP/2 with several connections to each host.
///
/// Requests to one host share connections, with at most `maximumStreamsPerConnection` on each; the others wait in
/// order. Requests to different hosts do not wait for each other. The thread ends when the client is shut down or
/// released.
///
/// libcurl itself sends a request again, up to five times, if a connection that was already in use breaks without a
/// byte of the response, or if the server refuses the stream (RFC 9113 §8.7). The caller gets the result of the last
/// attempt. This libcurl (7.88) also resets, without need, each stream whose end it has read (`RST_STREAM` with
/// `STREAM_CLOSED`). Servers that count resets may send GOAWAY.
package final class HTTPClient: Sendable {
    /// A callback for a finished request, called on the transport's thread. It must not block.
    package typealias Completion = @Sendable (Result<HTTPClientResponse, HTTPClientError>) -> Void

    private let configuration: Configuration
    private let core: Result<Core, HTTPClientError>
    private let counter = StatisticsCounter()
    private let lastID = Atomic<UInt64>(0)

    private struct Core: Sendable {
        let inbox: CommandQueue
        let thread: LoopThread
        let end: CompletionLatch
    }

    /// Makes a client and starts its thread, `pushgate-http`.
    ///
    /// If the process has no threads or file descriptors left, each request fails with `closed` and this reason.
    package init(configuration: Configuration = Configuration(), logger: Logger) {
        self.configuration = configuration
        core = Self.start(configuration, counter, logger)
    }

    deinit {
        if case .success(let core) = core { _ = core.inbox.post(.shutDown(by: .now)) }
    }

    /// Sends a request and waits for the response, with any status.
    ///
    /// Cancelling the calling task ends the request.
    package func execute(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        let id = nextID()
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                submit(request, as: id) { continuation.resume(returning: $0) }
                // A cancellation before this point had no effect, because the request did not exist.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }.get()
    }

    /// Sends a request and calls the completion with its result.
    ///
    /// - Parameter completion: called exactly once: on the transport's thread, or on the caller's before this returns
    ///   if the request cannot be sent.
    /// - Returns: the request's id, for `cancel(_:)`.
    @discardableResult
    package func execute(_ request: HTTPClientRequest, completion: @escaping Completion) -> RequestID {
        let id = nextID()
        submit(request, as: id, completion)
        return id
    }

    /// Ends a request, which then fails with `cancelled`. This has no effect on a finished request.
    func cancel(_ id: RequestID) {
        if case .success(let core) = core { _ = core.inbox.post(.cancel(id)) }
    }

    /// Ends the requests in progress that match, which then fail with `cancelled`.
    package func cancel(where isMatch: @escaping @Sendable (HTTPClientRequest) -> Bool) {
        if case .success(let core) = core { _ = core.inbox.post(.cancelMatching(isMatch)) }
    }

    /// Begins no further request on the connections that are open now, and closes each as soon as it has none.
    package func renewConnections() {
        if case .success(let core) = core { _ = core.inbox.post(.renewConnections) }
    }

    /// The present counts.
    package var statistics: HTTPClientStatistics { counter.snapshot }

    /// Finishes the requests in progress, and ends the thread.
    ///
    /// - Parameter bound: the time for this. Requests that are not finished then fail with `closed`, as does each
    ///   later request at once.
    package func shutdown(within bound: Duration = .seconds(5)) async {
        guard case .success(let core) = core else { return }
        _ = core.inbox.post(.shutDown(by: .now + bound))
        await core.end.wait()
        // The thread has finished its work and only returns.
        core.thread.join()
    }
}

extension HTTPClient {
    private func nextID() -> RequestID {
        RequestID(number: lastID.add(1, ordering: .relaxed).newValue)
    }

    private func submit(_ request: HTTPClientRequest, as id: RequestID, _ completion: @escaping Completion) {
        do throws(HTTPClientError) {
            let core = try core.get()
            let transfer = try Transfer(
                id: id, request: request, now: .now, responseLimit: configuration.maximumResponseBytes,
                headLimit: configuration.maximumHeadBytes, completion: completion)
            counter.accepted()
            guard core.inbox.post(.start(transfer)) else {
                let error = HTTPClientError.closed(host: transfer.origin.authority, isUnprocessed: true)
                counter.finished(.failure(error))
                throw error
            }
        } catch {
            completion(.failure(error))
        }
    }

    private static func start(
        _ configuration: Configuration, _ counter: StatisticsCounter, _ logger: Logger
    ) -> Result<Core, HTTPClientError> {
        guard isLibraryReady else { return .failure(.couldNotStart("libcurl could not be initialised")) }
        guard let pipe = WakeUpPipe() else { return .failure(.couldNotStart("there are no file descriptors left")) }
        let inbox = CommandQueue(pipe)
        let end = CompletionLatch()
        let thread = LoopThread(name: "pushgate-http") {
            EventLoop(configuration, inbox: inbox, counter: counter, logger: logger).run()
            end.signal()
        }
        guard let thread else { return .failure(.couldNotStart("there are no threads left")) }
        return .success(Core(inbox: inbox, thread: thread, end: end))
    }

    /// Initializes libcurl once in a process, before any other use of it (`curl_global_init(3)`).
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}

extension HTTPClient {
    /// The settings for all requests of a client.
    ///
    /// Some are fixed: certificates and host names are always verified, TLS is 1.2 or later, redirects are not
    /// followed, cookies are not kept, and proxies of environment variables are not used.
    package struct Configuration: Sendable {
        /// `maximumConnectionsPerHost` (default 4): the greatest number of open connections to one host and port.
        package var maximumConnectionsPerHost = 4
        /// `maximumStreamsPerConnection` (default 100): the greatest number of HTTP/2 requests in progress on one
        /// connection.
        ///
        /// Another connection is opened only if the open ones are full. libcurl visits all requests of a connection
        /// for each of its events, so more connections are better than more streams.
        package var maximumStreamsPerConnection = 100
        /// `maximumResponseBytes` (default 1 MiB): the greatest number of bytes in a response's body.
        package var maximumResponseBytes = 1 << 20
        /// `cutsLongBodies` (default `false`): `true` to return a response with a longer body too, with that part of
        /// it, for callers that need its status. The rest is not read. Otherwise it is an error.
        package var cutsLongBodies = false
        /// `maximumHeadBytes` (default 256 KiB): the greatest number of bytes in a response's head, with the heads of
        /// informational responses before it and the trailers.
        package var maximumHeadBytes = 1 << 18
        /// `caFile` (default the system's): the path of a PEM file with the trusted authorities, in place of the
        /// system's. A change of the file applies to the next connection.
        package var caFile: String?
        /// `proxy` (default none): the URL of a proxy for all connections, such as `http://127.0.0.1:3128`.
        ///
        /// An `https` request uses a tunnel (`CONNECT`, RFC 9110 §9.3.6), of which the proxy sees only the host and
        /// port. The gateway has no setting for this: it is for clients of the gateway's own proxy, such as tests.
        package var proxy: String?
        /// `connectTimeout` (default 10 s): the time for resolving, connecting and the TLS handshake.
        package var connectTimeout = Duration.seconds(10)
        /// `firstAnswerPatience` (default 500 ms): the time that other requests wait for a new connection's first
        /// response.
        ///
        /// The connection has one request in progress until that response. After this time another connection is
        /// opened.
        package var firstAnswerPatience = Duration.milliseconds(500)
        /// `idleLifetime` (default 1 h): the time after which a connection without requests is closed.
        package var idleLifetime = Duration.seconds(3_600)
        /// `maximumConnections` (default no limit): the number of open connections to all hosts above which those that
        /// are not in use are closed, the longest idle first.
        package var maximumConnections = Int.max
        /// `connectTo` (default none): other servers to connect to, as `127.0.0.1:8443` or `[::1]:8443`, by the host of
        /// the request in lower case. TLS and the request are for the host still.
        package var connectTo: [String: String] = [:]
        /// `refusal` (default none): returns the reason not to connect to an address that a host has; `nil` to connect.
        /// It is asked about each address before a connection to it, also about those of servers of ``connectTo`` and
        /// of a proxy. A host is reached by another address, if that one is not refused.
        package var refusal: (@Sendable (_ address: IPAddress, _ host: String) -> String?)?
        /// `userAgent` (default `pushgate`): the `User-Agent` of requests without their own.
        package var userAgent = "pushgate"

        package init() {}
    }
}
