public import HTTPTypes

/// One request to make, whole: nothing of it is streamed.
public struct HTTPClientRequest: Sendable {
    /// Which version of HTTP to ask for.
    public enum Version: Sendable, Hashable {
        /// HTTP/2 as negotiated by TLS (ALPN), or HTTP/1.1 when the server has nothing better.
        case http2
        /// HTTP/1.1, one request at a time on each connection.
        case http1
    }

    /// The method; `HEAD` is answered without a body.
    public var method: HTTPRequest.Method
    /// An absolute `http` or `https` URL in ASCII, percent-encoded where needed. Never repeated in an error or a log.
    public var url: String
    /// The header fields; nothing is added but what HTTP itself needs and the configuration's `User-Agent`.
    public var headerFields: HTTPFields
    /// More fields, sent after `headerFields`.
    public var sharedHeaderFields: SharedHeaderFields?
    /// The body; empty for none.
    public var body: [UInt8]
    /// The time for everything: waiting for a connection, connecting, sending and receiving.
    public var deadline: Duration
    /// The version to ask for.
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
