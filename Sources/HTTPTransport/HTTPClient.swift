internal import CCurl
public import Logging
internal import Synchronization

/// An HTTP client over libcurl: one thread, any number of requests, HTTP/2 with several connections to a host.
///
/// Requests to one host share connections, at most `maximumStreamsPerConnection` on each; the rest wait in order.
/// Different hosts never wait for each other. A client must be shut down, or let go of, for its thread to end.
///
/// libcurl itself sends a request once more, up to five times, when a connection that was in use before breaks without
/// a byte of an answer, or when the server refuses the stream (RFC 9113 §8.7); what a caller is told is what came of
/// the last. This libcurl (7.88) also resets a stream, without need, whose end it has read (`RST_STREAM` with
/// `STREAM_CLOSED`); servers that count resets may answer with GOAWAY.
public final class HTTPClient: Sendable {
    /// Where a finished request is reported: on the transport's thread, which must not be kept waiting.
    typealias Completion = @Sendable (Result<HTTPClientResponse, HTTPClientError>) -> Void

    private let configuration: Configuration
    private let core: Result<Core, HTTPClientError>
    private let counter = StatisticsCounter()
    private let lastID = Atomic<UInt64>(0)

    private struct Core: Sendable {
        let inbox: Inbox
        let thread: LoopThread
        let end: LoopEnd
    }

    /// Makes a client and starts its thread, `pushgate-http`.
    ///
    /// When the process has neither threads nor file descriptors left, every request fails with `closed` and says so.
    public init(configuration: Configuration = Configuration(), logger: Logger) {
        self.configuration = configuration
        core = Self.start(configuration, counter, logger)
    }

    deinit {
        if case .success(let core) = core { _ = core.inbox.post(.shutDown(by: .now)) }
    }

    /// Makes a request and waits for its answer.
    ///
    /// An answer with any status is an answer. Cancelling the calling task ends the request.
    public func execute(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        let id = nextID()
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                submit(request, as: id) { continuation.resume(returning: $0) }
                // A cancellation before this point has found nothing to cancel.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }.get()
    }

    /// Makes a request and reports its answer later.
    ///
    /// - Parameter completion: called exactly once: on the transport's thread, or on the caller's before this returns
    ///   when the request cannot even be tried.
    /// - Returns: what `cancel(_:)` takes.
    @discardableResult
    func execute(_ request: HTTPClientRequest, completion: @escaping Completion) -> RequestID {
        let id = nextID()
        submit(request, as: id, completion)
        return id
    }

    /// Ends a request, which then fails with `cancelled`; nothing happens when it has finished.
    func cancel(_ id: RequestID) {
        if case .success(let core) = core { _ = core.inbox.post(.cancel(id)) }
    }

    /// What the client has done so far.
    public var statistics: HTTPClientStatistics { counter.snapshot }

    /// Lets the requests finish that are under way, and ends the thread.
    ///
    /// - Parameter bound: how long that may take; what is not finished then fails with `closed`. So does every request
    ///   made from now on, at once.
    public func shutdown(within bound: Duration = .seconds(5)) async {
        guard case .success(let core) = core else { return }
        _ = core.inbox.post(.shutDown(by: .now + bound))
        await core.end.wait()
        // The thread has nothing left to do but return.
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
                completion: completion)
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
        let inbox = Inbox(pipe)
        let end = LoopEnd()
        let thread = LoopThread(name: "pushgate-http") {
            EventLoop(configuration, inbox: inbox, counter: counter, logger: logger).run()
            end.signal()
        }
        guard let thread else { return .failure(.couldNotStart("there are no threads left")) }
        return .success(Core(inbox: inbox, thread: thread, end: end))
    }

    /// Once in a process, before any other use of libcurl (`curl_global_init(3)`).
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
