package import Messaging
package import WebPush

/// The server of a relay. Clients name it, so it is read by the rules for the servers of browsers' subscriptions.
package struct RelayServer: Hashable, Sendable {
    /// The name in lower case, or an IP address in its canonical spelling, without brackets.
    package let host: String
    /// The port of HTTPS.
    package let port: Int

    /// Reads a host, with a port if it is not the standard one.
    package init(_ text: Substring) throws(SubscriptionError) {
        let server: (host: String, port: Int?)
        do throws(SubscriptionError) {
            server = try WebPushEndpoint.server(text)
        } catch {
            throw SubscriptionError(RelayField.address, error.requirement)
        }
        (host, port) = (server.host, server.port ?? WebPushEndpoint.standardPort)
    }

    /// Any URL at the server, by which rules for addresses judge it.
    package var endpoint: WebPushEndpoint {
        get throws(SubscriptionError) { try WebPushEndpoint("https://\(self)/") }
    }
}

extension RelayServer: CustomStringConvertible {
    /// The host, and the port if it is not the standard one, as URLs have them.
    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == WebPushEndpoint.standardPort ? name : "\(name):\(port)"
    }
}
