public import HTTPTypes

/// One request to make, whole: nothing of it is streamed.
public struct HTTPClientRequest: Sendable {
    /// Which version of HTTP to ask for.
    public enum Version: Sendable, Hashable {
        /// HTTP/2 as negotiated by TLS (ALPN), or HTTP/1.1 when the server has nothing better.
        case http2
        /// HTTP/2 without asking (RFC 9113 §3.3), for servers without TLS.
        ///
        /// Every such request has a connection of its own: libcurl 7.88 starts HTTP/2 a second time on a connection it
        /// uses again this way, which no server understands.
        case http2PriorKnowledge
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
    /// Requests of different groups never share a connection, for a server that knows its clients by the connection.
    public var connectionGroup: String
    /// Whether to keep away from the connections that have answered before this request was made.
    ///
    /// They take no further requests of anyone's and close when what they carry is finished. For a server that has gone
    /// wrong on a connection and stays so.
    public var usesNewConnection: Bool

    /// Makes a request.
    public init(
        method: HTTPRequest.Method = .get, url: String, headerFields: HTTPFields = [:],
        sharedHeaderFields: SharedHeaderFields? = nil, body: [UInt8] = [],
        deadline: Duration = .seconds(30), version: Version = .http2, connectionGroup: String = "",
        usesNewConnection: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headerFields = headerFields
        self.sharedHeaderFields = sharedHeaderFields
        self.body = body
        self.deadline = deadline
        self.version = version
        self.connectionGroup = connectionGroup
        self.usesNewConnection = usesNewConnection
    }
}
