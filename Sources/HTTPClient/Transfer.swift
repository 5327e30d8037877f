/// One request in progress. It passes from the caller's thread to the transport's, which then is its only user.
final class Transfer: @unchecked Sendable {  // because only the transport's thread uses it after the handover
    typealias Completion = @Sendable (Result<HTTPClientResponse, HTTPClientError>) -> Void

    let id: RequestID
    let request: HTTPClientRequest
    let origin: Origin
    /// The part `/path?query` of the URL, which messages must not contain.
    let path: Substring
    let submittedAt: ContinuousClock.Instant
    var startedAt: ContinuousClock.Instant?
    var collector: ResponseCollector
    /// The connection with the transfer; `nil` if there is none. The connection resets it.
    var connection: Connection?
    private var completion: Completion?

    init(
        id: RequestID, request: HTTPClientRequest, now: ContinuousClock.Instant, responseLimit: Int,
        headLimit: Int = .max, completion: @escaping Completion
    ) throws(HTTPClientError) {
        let (origin, path) = try Origin.splitting(request.url)
        guard request.deadline > .zero else {
            throw .invalid("the deadline must be longer than zero", host: origin.authority)
        }
        self.id = id
        self.request = request
        self.origin = origin
        self.path = path
        submittedAt = now
        collector = ResponseCollector(limit: responseLimit, headLimit: headLimit)
        self.completion = completion
    }

    /// `true` if the completion was called.
    var isFinished: Bool { completion == nil }

    var expiresAt: ContinuousClock.Instant { submittedAt + request.deadline }

    /// Calls the completion. Only the first call has an effect.
    func finish(_ result: Result<HTTPClientResponse, HTTPClientError>) {
        completion?(result)
        completion = nil
    }
}

/// The id of a request of one client, for cancelling it.
package struct RequestID: Sendable, Hashable {
    let number: UInt64
}

/// A collector of a response's head and body as libcurl delivers them.
struct ResponseCollector {
    private let limit: Int
    private let headLimit: Int
    /// The number of bytes of all heads so far.
    private var headByteCount = 0
    private(set) var head = ResponseHead()
    private(set) var body: [UInt8] = []
    /// `true` if the body was longer than the limit. The rest of it is not read.
    private(set) var isTooLarge = false
    /// `true` if the heads were longer than the limit. The rest of the response is not read.
    private(set) var isHeadTooLarge = false

    init(limit: Int, headLimit: Int) {
        self.limit = limit
        self.headLimit = headLimit
    }

    /// Adds one header line with its line break: a status line, a field, or the empty line at the end. Returns `false`
    /// if the heads become longer than the limit.
    mutating func receive(headerLine bytes: UnsafeRawBufferPointer) -> Bool {
        headByteCount += bytes.count
        guard headByteCount <= headLimit else {
            isHeadTooLarge = true
            return false
        }
        // Each status line starts a new head, which drops the heads of 1xx responses (RFC 9110 §15.2).
        if bytes.starts(with: "HTTP/".utf8) { head = ResponseHead() }
        head.append(bytes)
        return true
    }

    /// Adds a part of the body, as far as the limit. Returns `false` if there is more.
    mutating func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        let part = bytes.prefix(limit - body.count)
        body.append(contentsOf: part)
        isTooLarge = part.count < bytes.count
        return !isTooLarge
    }
}
