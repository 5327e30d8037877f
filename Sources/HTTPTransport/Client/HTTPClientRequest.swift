public import HTTPTypes

/// A complete request, without streaming.
public struct HTTPClientRequest: Sendable {
    /// The version of HTTP to request.
    public enum Version: Sendable, Hashable {
        /// HTTP/2 as negotiated by TLS (ALPN), or HTTP/1.1 if the server does not support it.
        case http2
        /// HTTP/1.1, with one request at a time on each connection.
        case http1
    }

    /// The method. A response to `HEAD` has no body.
    public var method: HTTPRequest.Method
    /// An absolute `http` or `https` URL in ASCII, percent-encoded where necessary. It is never part of an error or a
    /// log entry.
    public var url: String
    /// The header fields. The client adds only those that HTTP requires, and the configuration's `User-Agent`.
    public var headerFields: HTTPFields
    /// Further fields, which are sent after `headerFields`.
    public var sharedHeaderFields: SharedHeaderFields?
    /// The body; empty for none.
    public var body: [UInt8]
    /// The time for the whole request: waiting for a connection, connecting, sending and receiving. The default is 30
    /// s.
    public var deadline: Duration
    /// The version to request.
    public var version: Version

    /// Makes a request.
    public init(
        method: HTTPRequest.Method = .get, url: String, headerFields: HTTPFields = [:],
        sharedHeaderFields: SharedHeaderFields? = nil, body: [UInt8] = [],
        deadline: Duration = .seconds(30), version: Version = .http2
    ) {
        self.method = method
        self.url = url
        self.headerFields = headerFields
        self.sharedHeaderFields = sharedHeaderFields
        self.body = body
        self.deadline = deadline
        self.version = version
    }
}

/// The version of HTTP of a response.
public enum HTTPVersion: String, Sendable, Hashable {
    /// HTTP/1.1, and any other version that is not HTTP/2.
    case http1 = "HTTP/1.1"
    /// HTTP/2.
    case http2 = "HTTP/2"
}
