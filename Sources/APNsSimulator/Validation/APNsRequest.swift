/// A request as received, before validation.
public struct APNsRequest: Sendable {
    /// The `:method` pseudo-header.
    public var method: String
    /// The `:path` pseudo-header.
    public var path: String
    /// The header fields without pseudo-headers, in the order received. Names are in lower case (RFC 9113 §8.2.1).
    public var headers: [(name: String, value: String)]
    /// The bytes of the payload. A body longer than ``RequestValidator/largestPayload`` is cut one byte beyond it,
    /// which is enough to detect that it is too large.
    public var body: [UInt8]

    /// Takes the parts as they were received; ``RequestValidator`` checks them.
    public init(method: String, path: String, headers: [(name: String, value: String)], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    /// The provider token with its scheme.
    var authorization: String? { headers.first { $0.name == "authorization" }?.value }

    /// The header fields that begin with `apns-`. Only these are kept and shown; `authorization` never is.
    public var notificationHeaders: [(name: String, value: String)] {
        headers.filter { $0.name.hasPrefix("apns-") }
    }
}

/// The header fields that APNs reads, extracted from a request in one pass.
///
/// Apple, "Sending notification requests to APNs", table 1.
struct RequestHeaders {
    private(set) var authorization: String?
    private(set) var id: String?
    private(set) var topic: String?
    private(set) var pushType: String?
    private(set) var priority: String?
    private(set) var expiration: String?
    private(set) var collapseID: String?
    private(set) var channelID: String?
    private(set) var requestID: String?
    /// The first of these fields that is present twice; `nil` if there is none. Other fields may repeat, as HTTP
    /// allows.
    private(set) var duplicate: String?

    init(_ headers: [(name: String, value: String)]) {
        for (name, value) in headers { read(name, value) }
    }

    private mutating func read(_ name: String, _ value: String) {
        let isFirst =
            switch name {
            case "authorization": Self.set(&authorization, value)
            case "apns-id": Self.set(&id, value)
            case "apns-topic": Self.set(&topic, value)
            case "apns-push-type": Self.set(&pushType, value)
            case "apns-priority": Self.set(&priority, value)
            case "apns-expiration": Self.set(&expiration, value)
            case "apns-collapse-id": Self.set(&collapseID, value)
            case "apns-channel-id": Self.set(&channelID, value)
            case "apns-request-id": Self.set(&requestID, value)
            default: true
            }
        if !isFirst, duplicate == nil { duplicate = name }
    }

    /// Sets a field, unless it has a value.
    ///
    /// - Returns: `false` if the field already had a value.
    private static func set(_ field: inout String?, _ value: String) -> Bool {
        guard field == nil else { return false }
        field = value
        return true
    }
}
