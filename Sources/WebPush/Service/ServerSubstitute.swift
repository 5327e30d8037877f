package import HTTP2Client

/// A server that stands in for a push service's host, for tests.
package struct ServerSubstitute: Hashable, Sendable {
    /// The host in lower case.
    package let host: String
    /// The server that is connected to.
    package let server: HTTP2Origin

    /// Reads `fcm.googleapis.com=127.0.0.1:8443`; `nil` for any other text. Without a port it is 443.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        let standardPort = WebPushEndpoint.standardPort
        guard parts.count == 2, let host = try? WebPushEndpoint.server(parts[0]),
            let server = try? WebPushEndpoint.server(parts[1]), host.port ?? standardPort == standardPort
        else { return nil }
        self.host = host.host
        self.server = HTTP2Origin(host: server.host, port: server.port ?? standardPort)
    }
}

extension ServerSubstitute: CustomStringConvertible {
    /// The host and the server, as they are read.
    package var description: String { "\(host)=\(server.hostAndPort)" }
}
