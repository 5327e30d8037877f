/// A complete request, without streaming.
package struct HTTP2Request: Sendable {
    /// A header field of one request.
    package struct Field: Sendable {
        /// The name, in lower case.
        package let name: String
        /// The value.
        package let value: String
        /// `true` if other requests have the same value, so that it should be in the table of header compression (RFC
        /// 7541 §6.2).
        package let isRepeated: Bool

        package init(_ name: String, _ value: String, isRepeated: Bool = false) {
            self.name = name
            self.value = value
            self.isRepeated = isRepeated
        }
    }

    /// The origin, the method, and the fields that many requests share.
    package var headers: PreparedHeaders
    /// The path with its query, without the beginning that is prepared. It is never part of an error or a log entry.
    package var path: String
    /// The fields in addition to the prepared ones.
    package var fields: [Field]
    /// The body; empty for none.
    package var body: [UInt8]
    /// The time for the whole request: waiting for a connection, connecting, sending and receiving. The default is 30
    /// s.
    package var deadline: Duration
    /// The group of connections. Requests of different groups never share a connection, for servers that identify
    /// their clients by connection.
    package var connectionGroup: String
    /// `true` to avoid each connection with a response from before this request. Such connections accept no further
    /// requests, and close when theirs are finished. This is for a server that returns wrong responses on a connection
    /// until it closes.
    package var usesNewConnection: Bool
    /// `true` to let the server see the request after all earlier ones with the same path, unless it refuses one of
    /// them. It then uses their connection as long as one of them has no response.
    package var keepsOrder: Bool
    /// The names, in lower case, of the response's fields that are kept; `nil` to keep all.
    package var responseFields: [String]?

    package init(
        _ headers: PreparedHeaders, path: String, fields: [Field] = [], body: [UInt8] = [],
        deadline: Duration = .seconds(30), connectionGroup: String = "", usesNewConnection: Bool = false,
        keepsOrder: Bool = false, responseFields: [String]? = nil
    ) {
        self.headers = headers
        self.path = path
        self.fields = fields
        self.body = body
        self.deadline = deadline
        self.connectionGroup = connectionGroup
        self.usesNewConnection = usesNewConnection
        self.keepsOrder = keepsOrder
        self.responseFields = responseFields
    }
}
