/// The reason for which there is no answer to a request.
///
/// Neither the path nor a header field is ever part of it: both can hold what must not be logged.
public struct HTTP2ClientError: Error, Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The deadline has passed.
        case timedOut
        /// The name has no address, nothing listens there, or the connection was not made in time.
        case couldNotConnect
        /// The proxy cannot be reached, or opens no tunnel; the message names it.
        case proxy
        /// The TLS handshake failed, or the certificate is not the host's.
        case tls
        /// The connection broke, or the stream was reset, after the request was sent: the server may have acted on it.
        case connectionLost
        /// The server refused the request again and again, without looking at it.
        case refused
        /// The caller's task was cancelled.
        case cancelled
        /// The client was shut down.
        case closed
        /// The answer's body is longer than the configuration allows.
        case responseTooLarge
    }

    public let kind: Kind
    public let message: String
    /// The host and port of the request.
    public let host: String
    /// A Boolean value indicating whether the server has certainly not acted on the request, so that sending it again
    /// cannot do anything twice.
    public let isUnprocessed: Bool
    /// The debug data with which the server ended the connection (RFC 9113 §6.8), as text; `nil` if it sent none.
    public let goAwayText: String?

    public init(kind: Kind, message: String, host: String, isUnprocessed: Bool, goAwayText: String? = nil) {
        self.kind = kind
        self.message = message
        self.host = host
        self.isUnprocessed = isUnprocessed
        self.goAwayText = goAwayText
    }

    /// A Boolean value indicating whether there was no connection to send on, so that no other request to the server fares
    /// better now.
    public var isWithoutConnection: Bool {
        switch kind {
        case .couldNotConnect, .proxy, .tls: true
        case .timedOut: isUnprocessed
        default: false
        }
    }
}

extension HTTP2ClientError: CustomStringConvertible {
    public var description: String { "\(kind.rawValue) (\(host)): \(message)" }
}
