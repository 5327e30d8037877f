/// The scheme, host and port of a web page, as browsers send them in `Origin` (RFC 6454 §6.2).
package struct WebOrigin: Hashable, Sendable {
    /// The scheme, `http` or `https`.
    package let scheme: String
    /// The host, in the form of ``Authority/host``.
    package let host: String
    /// The port, or the scheme's standard port if it is left out.
    package let port: Int

    /// Parses an origin; `nil` for any other text, including `null` and origins with other schemes.
    package init?(_ text: String) {
        guard let separator = text.firstRange(of: "://"),
            let authority = Authority(text[separator.upperBound...])
        else { return nil }
        scheme = text[..<separator.lowerBound].lowercased()
        guard let standardPort = Self.standardPorts[scheme] else { return nil }
        host = authority.host
        port = authority.port ?? standardPort
    }

    /// The port that the scheme has by itself.
    package var standardPort: Int? { Self.standardPorts[scheme] }

    private static let standardPorts = ["http": 80, "https": 443]
}

extension WebOrigin: CustomStringConvertible {
    /// The form used in `Origin`: `https://push.example.com:8443`, without the scheme's standard port.
    package var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(host)\(port == standardPort ? "" : ":\(port)")"
    }
}
