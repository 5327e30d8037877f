package import HTTPTypes

/// A complete request, without streaming.
package struct HTTPClientRequest: Sendable {
    /// The version of HTTP to request.
    package enum Version: Sendable, Hashable {
        /// HTTP/2 as negotiated by TLS (ALPN), or HTTP/1.1 if the server does not support it.
        case http2
        /// HTTP/1.1, with one request at a time on each connection.
        case http1
    }

    /// The method. A response to `HEAD` has no body.
    package var method: HTTPRequest.Method
    /// An absolute `http` or `https` URL in ASCII, percent-encoded where necessary. It is never part of an error or a
    /// log entry.
    package var url: String
    /// The header fields. The client adds only those that HTTP requires, and the configuration's `User-Agent`.
    package var headerFields: HTTPFields
    /// Further fields, which are sent after `headerFields`.
    package var sharedHeaderFields: SharedHeaderFields?
    /// The body; empty for none.
    package var body: [UInt8]
    /// The time for the whole request: waiting for a connection, connecting, sending and receiving. The default is 30
    /// s.
    package var deadline: Duration
    /// The version to request.
    package var version: Version

    /// Takes any text as the URL. Sending a request with an invalid one fails, see
    /// ``HTTPClientError/Kind/invalidRequest``.
    package init(
        method: HTTPRequest.Method = .get, url: String, headerFields: HTTPFields = [:], body: [UInt8] = [],
        deadline: Duration = .seconds(30), version: Version = .http2
    ) {
        self.method = method
        self.url = url
        self.headerFields = headerFields
        self.body = body
        self.deadline = deadline
        self.version = version
    }
}

/// The version of HTTP of a response.
package enum HTTPVersion: String, Sendable, Hashable {
    /// HTTP/1.1, and any other version that is not HTTP/2.
    case http1 = "HTTP/1.1"
    /// HTTP/2.
    case http2 = "HTTP/2"
}
