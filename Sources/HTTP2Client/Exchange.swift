import NIOCore

/// One request in progress, and its response.
///
/// After it is handed to the event loop, only the event loop uses it.
final class Exchange: @unchecked Sendable {  // because only the event loop uses it after the handover
    typealias Completion = @Sendable (Result<HTTP2Response, HTTP2ClientError>) -> Void

    let number: UInt64
    let request: HTTP2Request
    let submittedAt: NIODeadline
    let expiresAt: NIODeadline
    /// The connection on which the request waits or is sent.
    weak var connection: Connection?
    var streamID: Int32?
    var startedAt = NIODeadline.distantPast
    /// The number of bytes of the body that were sent.
    var sentBytes = 0
    /// `true` if the request's head was written to the connection.
    var isSent = false
    var response = HTTP2Response()
    var isTooLarge = false
    /// The number of times that a server has refused the request without processing it.
    var refusals = 0
    private let counter: StatisticsCounter
    private var completion: Completion?

    /// Begins to count an exchange as one in progress, until it is finished.
    init(
        number: UInt64, _ request: HTTP2Request, at now: NIODeadline, counter: StatisticsCounter,
        completion: @escaping Completion
    ) {
        self.number = number
        self.request = request
        submittedAt = now
        expiresAt = now + TimeAmount(request.deadline)
        self.counter = counter
        self.completion = completion
        counter.began()
    }

    var isFinished: Bool { completion == nil }

    /// Calls the completion. Only the first call has an effect.
    func finish(_ result: Result<HTTP2Response, HTTP2ClientError>) {
        guard let completion else { return }
        counter.finished()
        completion(result)
        self.completion = nil
    }

    /// Resets the request for another connection, if the server has certainly not acted on it.
    func startOver() {
        connection = nil
        streamID = nil
        sentBytes = 0
        isSent = false
        response = HTTP2Response()
    }

    func error(
        _ kind: HTTP2ClientError.Kind, _ message: String, isUnprocessed: Bool? = nil, isBehindAnother: Bool = false,
        goAwayText: String? = nil
    ) -> HTTP2ClientError {
        HTTP2ClientError(
            kind: kind, message: message, host: request.headers.origin.authority,
            isUnprocessed: isUnprocessed ?? !isSent, isBehindAnother: isBehindAnother, goAwayText: goAwayText)
    }
}
