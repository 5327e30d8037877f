/// The reason why a request has no response.
///
/// It never contains the path or a header field, because these may be secrets.
package struct HTTP2ClientError: Error, Sendable, Hashable {
    /// The kind of failure.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The deadline has passed.
        case timedOut
        /// The name has no address, the port is closed, or connecting took too long.
        case couldNotConnect
        /// The proxy is not reachable or opens no tunnel; the message names it.
        case proxy
        /// The TLS handshake failed, or the certificate does not match the host.
        case tls
        /// The server has no HTTP/2, and said so in the TLS handshake.
        case noHTTP2
        /// The connection broke or the stream was reset after the request was sent. The server may have acted on it.
        case connectionLost
        /// The server refused the request repeatedly without processing it.
        case refused
        /// The caller's task was cancelled.
        case cancelled
        /// The client was shut down.
        case closed
        /// The response's body is longer than the configuration allows.
        case responseTooLarge
    }

    /// The kind of failure.
    package let kind: Kind
    /// The reason in words, for a log or an operator.
    package let message: String
    /// The host and port of the request.
    package let host: String
    /// `true` if the server has certainly not acted on the request, so that sending it again has no effect twice.
    package let isUnprocessed: Bool
    /// `true` if the request waited for an earlier one with its path, so that requests with other paths may have a
    /// connection.
    package let isBehindAnother: Bool
    /// The debug data of the server's GOAWAY (RFC 9113 §6.8) as text; `nil` if there was none.
    package let goAwayText: String?

    package init(
        kind: Kind, message: String, host: String, isUnprocessed: Bool, isBehindAnother: Bool = false,
        goAwayText: String? = nil
    ) {
        self.kind = kind
        self.message = message
        self.host = host
        self.isUnprocessed = isUnprocessed
        self.isBehindAnother = isBehindAnother
        self.goAwayText = goAwayText
    }

    /// `true` if there was no connection for the request, so that other requests to the server would fail in the same
    /// way now.
    package var isWithoutConnection: Bool {
        switch kind {
        case .couldNotConnect, .proxy, .tls: true
        case .timedOut: isUnprocessed && !isBehindAnother
        default: false
        }
    }
}

extension HTTP2ClientError: CustomStringConvertible {
    /// The kind, the host and the message.
    package var description: String { "\(kind.rawValue) (\(host)): \(message)" }
}

/// The reason why a connection could not be made.
struct ConnectError: Error {
    let kind: HTTP2ClientError.Kind
    let message: String
}
