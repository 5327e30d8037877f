public import HTTPTypes

/// One answer, whole.
public struct HTTPClientResponse: Sendable {
    /// The status code, such as 200; an answer with any status is an answer and no error.
    public var statusCode: Int
    /// The header fields, and the trailer fields after them.
    public var headerFields: HTTPFields
    /// The body, at most as long as the configuration allows.
    public var body: [UInt8]
    /// The version that carried it.
    public var version: HTTPVersion
    /// How many connections were opened for this request: 0 when it went over one that was open.
    public var connectionsOpened: Int
    /// From the moment the request was given to a connection until its answer was complete.
    public var duration: Duration

    /// Makes a response.
    public init(
        statusCode: Int, headerFields: HTTPFields = [:], body: [UInt8] = [], version: HTTPVersion = .http2,
        connectionsOpened: Int = 0, duration: Duration = .zero
    ) {
        self.statusCode = statusCode
        self.headerFields = headerFields
        self.body = body
        self.version = version
        self.connectionsOpened = connectionsOpened
        self.duration = duration
    }
}
