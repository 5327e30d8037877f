/// A server: the host and port of connections, which always use TLS.
package struct HTTP2Origin: Hashable, Sendable {
    /// A name or an IP address, the latter without brackets.
    package let host: String
    /// The port; 443 unless stated otherwise.
    package let port: Int

    /// Makes an origin of a host and a port.
    package init(host: String, port: Int = 443) {
        self.host = host
        self.port = port
    }

    /// Parses a URL such as `https://api.push.apple.com` or `https://[::1]:2197`; `nil` for any other text.
    package init?(_ url: String) {
        let scheme = "https://"
        guard url.hasPrefix(scheme) else { return nil }
        let authority = url.dropFirst(scheme.count)
        guard let colon = authority.lastIndex(of: ":"), authority[colon...].dropFirst().allSatisfy(\.isNumber) else {
            guard !authority.isEmpty else { return nil }
            self.init(host: Self.withoutBrackets(authority))
            return
        }
        guard let port = Int(authority[colon...].dropFirst()), colon != authority.startIndex else { return nil }
        self.init(host: Self.withoutBrackets(authority[..<colon]), port: port)
    }

    /// The URL, without the standard port.
    package var url: String { "https://" + authority }

    /// The value of `:authority` (RFC 9113 §8.3.1), without the standard port.
    var authority: String { port == 443 ? hostInURL : hostAndPort }

    /// The host and the port, also the standard one, in the form that `CONNECT` requires (RFC 9110 §9.3.6).
    package var hostAndPort: String { "\(hostInURL):\(port)" }

    private var hostInURL: String { host.contains(":") ? "[\(host)]" : host }

    private static func withoutBrackets(_ host: Substring) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
    }
}
