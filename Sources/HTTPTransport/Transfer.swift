/// One request on its way, from the caller's thread to the transport's and back; then only the transport's.
final class Transfer: @unchecked Sendable {  // because handed over once, then the transport's thread has it alone
    typealias Completion = @Sendable (Result<HTTPClientResponse, HTTPClientError>) -> Void

    let id: RequestID
    let request: HTTPClientRequest
    let origin: Origin
    /// `/path?query`, kept to be kept out of messages.
    let path: Substring
    let submittedAt: ContinuousClock.Instant
    var startedAt: ContinuousClock.Instant?
    var collector: ResponseCollector
    /// The connection that carries it, while one does; the connection itself sees to it that this ends.
    var connection: Connection?
    private var completion: Completion?

    init(
        id: RequestID, request: HTTPClientRequest, now: ContinuousClock.Instant, responseLimit: Int,
        completion: @escaping Completion
    ) throws(HTTPClientError) {
        let (origin, path) = try Origin.splitting(request.url)
        guard request.deadline > .zero else {
            throw .invalid("the deadline has passed before it began", host: origin.authority)
        }
        self.id = id
        self.request = request
        self.origin = origin
        self.path = path
        submittedAt = now
        collector = ResponseCollector(limit: responseLimit)
        self.completion = completion
    }

    /// Whether the caller has had its answer.
    var isFinished: Bool { completion == nil }

    var expiresAt: ContinuousClock.Instant { submittedAt + request.deadline }

    /// Gives the caller its answer; only the first one counts.
    func finish(_ result: Result<HTTPClientResponse, HTTPClientError>) {
        completion?(result)
        completion = nil
    }
}
