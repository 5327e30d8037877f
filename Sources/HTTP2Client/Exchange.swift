internal import NIOCore

/// One request and the answer to it, on its way.
///
/// Handed over to the event loop once; from then on only that looks at it.
final class Exchange: @unchecked Sendable {  // because only the event loop has it once it is handed over
    typealias Completion = @Sendable (Result<HTTP2Response, HTTP2ClientError>) -> Void

    let number: UInt64
    let request: HTTP2Request
    let submittedAt: NIODeadline
    let expiresAt: NIODeadline
    /// The connection that it waits or is sent on.
    weak var connection: Connection?
    var streamID: Int32?
    var startedAt = NIODeadline.distantPast
    /// The number of bytes of the body that have been sent.
    var sentBytes = 0
    /// A Boolean value indicating whether its head has gone to the connection.
    var isSent = false
    var response = HTTP2Response()
    var isTooLarge = false
    /// The number of times that a server has turned it away without looking at it.
    var refusals = 0
    private var completion: Completion?

    init(number: UInt64, _ request: HTTP2Request, at now: NIODeadline, completion: @escaping Completion) {
        self.number = number
        self.request = request
        submittedAt = now
        expiresAt = now + TimeAmount(request.deadline)
        self.completion = completion
    }

    var isFinished: Bool { completion == nil }

    /// Gives the caller its answer; only the first one counts.
    func finish(_ result: Result<HTTP2Response, HTTP2ClientError>) {
        completion?(result)
        completion = nil
    }

    /// Prepares it for another connection, after the server has certainly not acted on it.
    func startOver() {
        connection = nil
        streamID = nil
        sentBytes = 0
        isSent = false
        response = HTTP2Response()
    }

    func error(
        _ kind: HTTP2ClientError.Kind, _ message: String, isUnprocessed: Bool? = nil, goAwayText: String? = nil
    ) -> HTTP2ClientError {
        HTTP2ClientError(
            kind: kind, message: message, host: request.headers.origin.authority,
            isUnprocessed: isUnprocessed ?? !isSent, goAwayText: goAwayText)
    }
}
