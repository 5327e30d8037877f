internal import CCurl
public import HTTPTypes

/// One answer, whole.
public struct HTTPClientResponse: Sendable {
    /// The status code, such as 200; an answer with any status is an answer and no error.
    public let statusCode: Int
    private let head: ResponseHead
    /// The header fields, and the trailer fields after them; parsed at each use.
    public var headerFields: HTTPFields { head.fields }
    /// `Date` (RFC 9110 §6.6.1), the time by the server's clock, in seconds since 1970; nil when it does not say.
    public var date: Int64? {
        guard let text = headerFields[.date] else { return nil }
        let time = curl_getdate(text, nil)
        return time < 0 ? nil : Int64(time)
    }
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
