/// The scheme, host and port of a web page, as browsers send them in `Origin` (RFC 6454 §6.2).
struct WebOrigin: Hashable, Sendable {
    /// `http` or `https`.
    let scheme: String
    /// As ``Authority/host``.
    let host: String
    /// The scheme's own if it is left out.
    let port: Int

    /// - Returns: `nil` for anything else, `null` and origins of other schemes included.
    init?(_ text: String) {
        guard let separator = text.firstRange(of: "://"),
            let authority = Authority(text[separator.upperBound...])
        else { return nil }
        scheme = text[..<separator.lowerBound].lowercased()
        guard let standardPort = Self.standardPorts[scheme] else { return nil }
        host = authority.host
        port = authority.port ?? standardPort
    }

    var standardPort: Int? { Self.standardPorts[scheme] }

    private static let standardPorts = ["http": 80, "https": 443]
}

extension WebOrigin: CustomStringConvertible {
    var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(host)\(port == standardPort ? "" : ":\(port)")"
    }
}
