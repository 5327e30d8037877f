/// Why there is no answer to a request.
///
/// Neither the URL's path nor a header field is ever part of it: both can hold what must not be logged.
public struct HTTPClientError: Error, Sendable, Hashable {
    /// What went wrong, as far as a caller can do something about it.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The deadline, or the time for connecting, has passed.
        case timedOut
        /// The name has no address, or nothing listens there.
        case couldNotConnect
        /// The TLS handshake failed, or the peer is not whom it should be.
        case tls
        /// The connection broke after the request was sent: whether it was processed is not known.
        case connectionLost
        /// The connection went away before the request was on it: it was certainly not processed.
        case refused
        /// The caller's task was cancelled.
        case cancelled
        /// The client was shut down.
        case closed
        /// The request cannot be sent as it is.
        case invalidRequest
        /// The answer's body is longer than the configuration allows.
        case responseTooLarge
        /// Anything else; the message says what.
        case other
    }

    /// What went wrong.
    public let kind: Kind
    /// The reason in words: libcurl's, or ours.
    public let message: String
    /// The host and port the request was for, or `nil` when the URL names none.
    public let host: String?
    /// libcurl's own code (`libcurl-errors(3)`), or `nil` when libcurl had no part in it.
    public let curlCode: Int?
    /// Whether the server has certainly not acted on the request, so that sending it again cannot do anything twice.
    public let isUnprocessed: Bool

    /// Makes an error.
    public init(kind: Kind, message: String, host: String? = nil, curlCode: Int? = nil, isUnprocessed: Bool) {
        self.kind = kind
        self.message = message
        self.host = host
        self.curlCode = curlCode
        self.isUnprocessed = isUnprocessed
    }
}

extension HTTPClientError: CustomStringConvertible {
    public var description: String {
        let place = host.map { " (\($0))" } ?? ""
        let code = curlCode.map { " [curl \($0)]" } ?? ""
        return "\(kind.rawValue)\(place): \(message)\(code)"
    }
}
