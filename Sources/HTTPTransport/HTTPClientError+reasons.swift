/// The errors that libcurl has no part in, each with its one wording.
extension HTTPClientError {
    static func closed(host: String?, isUnprocessed: Bool) -> HTTPClientError {
        HTTPClientError(
            kind: .closed, message: "the HTTP client was shut down", host: host, isUnprocessed: isUnprocessed)
    }

    static func couldNotStart(_ reason: String) -> HTTPClientError {
        HTTPClientError(kind: .closed, message: "the HTTP client could not start: \(reason)", isUnprocessed: true)
    }

    static func cancelled(host: String, isUnprocessed: Bool) -> HTTPClientError {
        HTTPClientError(
            kind: .cancelled, message: "the request was cancelled", host: host, isUnprocessed: isUnprocessed)
    }

    static func waitedTooLong(host: String) -> HTTPClientError {
        HTTPClientError(
            kind: .timedOut, message: "the deadline passed before a connection was free", host: host,
            isUnprocessed: true)
    }

    static func invalid(_ reason: String, host: String? = nil) -> HTTPClientError {
        HTTPClientError(kind: .invalidRequest, message: reason, host: host, isUnprocessed: true)
    }

    static func tooLarge(host: String, limit: Int) -> HTTPClientError {
        HTTPClientError(
            kind: .responseTooLarge, message: "the response's body is longer than \(limit) bytes", host: host,
            isUnprocessed: false)
    }

    static func resources(_ reason: String, host: String) -> HTTPClientError {
        HTTPClientError(kind: .other, message: reason, host: host, isUnprocessed: true)
    }
}
