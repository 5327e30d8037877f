import IPAddresses

/// A host that the operator trusts as a push service, such as a distributor of his own in a private network.
package struct AllowedHost: Hashable, Sendable {
    private let host: String
    /// The port; `nil` for those that all hosts may have.
    private let port: Int?
    /// `true` if the hosts below the name are meant.
    private let isWildcard: Bool

    /// Reads `ntfy.home.example`, `192.168.1.5:8443`, `[fd00::1]`, or `*.home.example` for the names below a name;
    /// `nil` for any other text.
    package init?(_ text: String) {
        isWildcard = text.hasPrefix("*.")
        guard let server = try? WebPushEndpoint.server(text.dropFirst(isWildcard ? 2 : 0)),
            !isWildcard || IPAddress(server.host) == nil
        else { return nil }
        (host, port) = server
    }

    /// Returns `true` if this is the host, on whatever port.
    package func covers(_ host: String) -> Bool { isWildcard ? host.hasSuffix("." + self.host) : host == self.host }

    /// Returns `true` if this is the host, and the port is named.
    package func names(_ host: String, port: Int) -> Bool { covers(host) && port == self.port }
}
