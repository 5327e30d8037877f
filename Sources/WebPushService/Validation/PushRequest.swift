/// A request of an application server as received, before validation.
struct PushRequest: Sendable {
    /// The method.
    var method: String
    /// The host, with the port if it is not 443: the field `host`, or `:authority`.
    var authority: String
    /// The path with its query.
    var path: String
    /// The header fields in the order received. Names are in lower case.
    var headers: [(name: String, value: String)]
    /// The body. One longer than ``largestBody`` is cut one byte beyond it, which is enough to detect that it is too
    /// large.
    var body: [UInt8]

    /// The largest body that is kept, in bytes: what a push service has to accept (RFC 8030 §7.2).
    static let largestBody = 4096

    init(
        method: String = "POST", authority: String, path: String, headers: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.authority = authority
        self.path = path
        self.headers = headers
        self.body = body
    }

    /// The credentials with their scheme.
    var authorization: String? { headers.first { $0.name == "authorization" }?.value }

    /// The header fields that are kept and shown. `authorization` never is.
    var messageHeaders: [(name: String, value: String)] {
        headers.filter { PushHeaders.names.contains($0.name) || $0.name.hasPrefix("x-wns-") }
    }

    /// The origin of the URL that was requested (RFC 6454 §6.2), such as `https://fcm.googleapis.com`.
    var origin: String {
        let host = authority.lowercased()
        return "https://" + (host.hasSuffix(":443") ? String(host.dropLast(4)) : host)
    }

    /// The host that was requested, without its port.
    var host: String {
        let end = authority.lastIndex(of: ":") ?? authority.endIndex
        // The last part of an IPv6 address follows a colon as well.
        return authority.hasSuffix("]") ? authority : String(authority[..<end])
    }
}

/// The header fields that a push service reads (RFC 8030 §5, RFC 8188 §2, RFC 8292 §2), extracted in one pass.
struct PushHeaders {
    static let names: Set<String> = [
        "ttl", "urgency", "topic", "content-encoding", "content-type", "encryption", "crypto-key", "prefer",
    ]

    private(set) var authorization: String?
    private(set) var timeToLive: String?
    private(set) var urgency: String?
    private(set) var topic: String?
    private(set) var contentEncoding: String?
    private(set) var cachePolicy: String?
    /// The first of these fields that is present twice; `nil` if there is none.
    private(set) var duplicate: String?

    init(_ headers: [(name: String, value: String)]) {
        for (name, value) in headers { read(name, value) }
    }

    private mutating func read(_ name: String, _ value: String) {
        let isFirst =
            switch name {
            case "authorization": Self.set(&authorization, value)
            case "ttl": Self.set(&timeToLive, value)
            case "urgency": Self.set(&urgency, value)
            case "topic": Self.set(&topic, value)
            case "content-encoding": Self.set(&contentEncoding, value)
            case "x-wns-cache-policy": Self.set(&cachePolicy, value)
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
