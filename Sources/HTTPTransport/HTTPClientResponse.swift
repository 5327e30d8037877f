public import HTTPTypes

/// One answer, whole.
public struct HTTPClientResponse: Sendable {
    /// The status code, such as 200; an answer with any status is an answer and no error.
    public let statusCode: Int
    private let head: ResponseHead
    /// The header fields, and the trailer fields after them; parsed at each use.
    public var headerFields: HTTPFields { head.fields }
    /// The body, at most as long as the configuration allows.
    public let body: [UInt8]
    /// The version that carried it.
    public let version: HTTPVersion
    /// How many connections were opened for this request: 0 when it went over one that was open.
    public let connectionsOpened: Int
    /// From the moment the request was given to a connection until its answer was complete.
    public let duration: Duration

    init(
        statusCode: Int, head: ResponseHead, body: [UInt8], version: HTTPVersion, connectionsOpened: Int,
        duration: Duration
    ) {
        self.statusCode = statusCode
        self.head = head
        self.body = body
        self.version = version
        self.connectionsOpened = connectionsOpened
        self.duration = duration
    }
}
