/// A request as it came off the wire, before any judgement.
public struct APNsRequest: Sendable {
    /// The `:method` pseudo-header.
    public var method: String
    /// The `:path` pseudo-header.
    public var path: String
    /// The header fields without pseudo-headers, in the order received; names are lower-case (RFC 9113 §8.2.1).
    public var headers: [(name: String, value: String)]
    /// The bytes of the payload. A body over ``RequestValidator/largestPayload`` is cut one byte after it, which is
    /// enough to know that it is too large.
    public var body: [UInt8]

    public init(method: String, path: String, headers: [(name: String, value: String)], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    /// The provider token with its scheme.
    var authorization: String? { headers.first { $0.name == "authorization" }?.value }

    /// The fields that belong to APNs: what is kept and shown of a request. `authorization` is never among them.
    public var notificationHeaders: [(name: String, value: String)] {
        headers.filter { $0.name.hasPrefix("apns-") }
    }
}
