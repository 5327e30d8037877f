/// One request, whole: nothing of it is streamed.
public struct HTTP2Request: Sendable {
    /// A header field of this request alone.
    public struct Field: Sendable {
        /// In lower case.
        public let name: String
        public let value: String
        /// A Boolean value indicating whether other requests will have the same value, so that it is worth a place in the
        /// table of header compression (RFC 7541 §6.2).
        public let isRepeated: Bool

        public init(_ name: String, _ value: String, isRepeated: Bool = false) {
            self.name = name
            self.value = value
            self.isRepeated = isRepeated
        }
    }

    public var headers: PreparedHeaders
    /// The path with its query. Never repeated in an error or a log.
    public var path: String
    /// The fields beside the prepared ones.
    public var fields: [Field]
    public var body: [UInt8]
    /// The time for everything: waiting for a connection, connecting, sending and receiving.
    public var deadline: Duration
    /// Requests of different groups never share a connection, for a server that knows its clients by the connection.
    public var connectionGroup: String
    /// A Boolean value indicating whether to keep away from the connections that have answered before this request was
    /// made. They take no further requests of anyone's, and close when what they carry is finished. For a server that has
    /// gone wrong on a connection and stays so.
    public var usesNewConnection: Bool

    public init(
        _ headers: PreparedHeaders, path: String, fields: [Field] = [], body: [UInt8] = [],
        deadline: Duration = .seconds(30), connectionGroup: String = "", usesNewConnection: Bool = false
    ) {
        self.headers = headers
        self.path = path
        self.fields = fields
        self.body = body
        self.deadline = deadline
        self.connectionGroup = connectionGroup
        self.usesNewConnection = usesNewConnection
    }
}
