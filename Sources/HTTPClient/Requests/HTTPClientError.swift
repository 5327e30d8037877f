import CCurl

/// The reason why a request has no response.
///
/// It never contains the URL's path or a header field, because these may be secrets.
package struct HTTPClientError: Error, Sendable, Hashable {
    /// The kind of failure, as far as a caller can react to it.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The deadline, or the time for connecting, has passed.
        case timedOut
        /// The name has no address, or the port is closed.
        case couldNotConnect
        /// The configuration's rule refuses each address that the name has.
        case addressRefused
        /// The TLS handshake failed, or the certificate does not match the host.
        case tls
        /// The connection broke after the request was sent. The server may have acted on it.
        case connectionLost
        /// The connection broke before the request was sent. The server has certainly not acted on it.
        case refused
        /// The caller's task was cancelled.
        case cancelled
        /// The client was shut down.
        case closed
        /// The request is not valid and cannot be sent.
        case invalidRequest
        /// The response's body or head is longer than the configuration allows.
        case responseTooLarge
        /// Any other failure; the message describes it.
        case other
    }

    /// The kind of failure.
    package let kind: Kind
    /// The reason in words, from libcurl or from this client.
    package let message: String
    /// The host and port of the request; `nil` if the URL has none.
    package let host: String?
    /// libcurl's own code (`libcurl-errors(3)`); `nil` if the error does not come from libcurl.
    package let curlCode: Int?
    /// `true` if the server has certainly not acted on the request, so that sending it again has no effect twice.
    package let isUnprocessed: Bool

    package init(kind: Kind, message: String, host: String? = nil, curlCode: Int? = nil, isUnprocessed: Bool) {
        self.kind = kind
        self.message = message
        self.host = host
        self.curlCode = curlCode
        self.isUnprocessed = isUnprocessed
    }
}

extension HTTPClientError: CustomStringConvertible {
    /// The kind, the host, the message and libcurl's code.
    package var description: String {
        let place = host.map { " (\($0))" } ?? ""
        let code = curlCode.map { " [curl \($0)]" } ?? ""
        return "\(kind.rawValue)\(place): \(message)\(code)"
    }
}

extension HTTPClientError {
    /// `true` if there was no connection for the request, so that other requests to the server would fail in the same
    /// way now. A lost connection does not count, because this request may have caused the loss.
    package var isWithoutConnection: Bool {
        switch kind {
        case .couldNotConnect, .tls: true
        case .timedOut: isUnprocessed
        default: false
        }
    }
}

/// The errors that do not come from libcurl, each with a fixed text.
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

    static func refusedAddress(_ reason: String, host: String) -> HTTPClientError {
        HTTPClientError(
            kind: .addressRefused, message: "the server's address is refused: \(reason)", host: host,
            isUnprocessed: true)
    }

    static func tooLarge(_ part: String, host: String, limit: Int) -> HTTPClientError {
        HTTPClientError(
            kind: .responseTooLarge, message: "the response's \(part) is longer than \(limit) bytes", host: host,
            isUnprocessed: false)
    }

    static func resources(_ reason: String, host: String) -> HTTPClientError {
        HTTPClientError(kind: .other, message: reason, host: host, isUnprocessed: true)
    }
}

extension HTTPClientError.Kind {
    /// Translates a code of libcurl for the caller.
    ///
    /// - Parameter wasSent: `true` if a part of the request was written to a connection.
    init(_ code: CURLcode, wasSent: Bool) {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT: self = .couldNotConnect
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            self = .tls
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self = wasSent ? .connectionLost : .refused
        case CURLE_URL_MALFORMAT: self = .invalidRequest
        default: self = .other
        }
    }

    /// `true` if this kind of error alone implies that no server has received the request.
    var precedesSending: Bool {
        switch self {
        case .couldNotConnect, .addressRefused, .tls, .refused, .invalidRequest: true
        case .timedOut, .connectionLost, .cancelled, .closed, .responseTooLarge, .other: false
        }
    }
}

extension HTTPClientError {
    /// Makes an error of libcurl's result of a transfer.
    ///
    /// - Parameters:
    /// - words: the content of libcurl's error buffer; if it is empty, the error has libcurl's general text for
    ///   `code`.
    ///   - origin: the server of the request.
    ///   - path: a text that the error must not contain. If libcurl's words contain it, they are not used.
    init(_ code: CURLcode, words: String, origin: Origin, path: Substring, wasSent: Bool) {
        let isSafe = !words.isEmpty && (path.count < 2 || !words.contains(path))
        let kind = Kind(code, wasSent: wasSent)
        self.init(
            kind: kind, message: isSafe ? words : String(cString: curl_easy_strerror(code)), host: origin.authority,
            curlCode: Int(code.rawValue), isUnprocessed: kind.precedesSending || !wasSent)
    }
}
