/// A TLS port of a gateway: its TLS listener, or the tunnels of its proxy.
package enum TLSListener: String, CaseIterable, Sendable {
    case tls, proxy

    /// Returns the port of the listener or the proxy.
    package func port(_ addresses: FCMAddresses) -> Int {
        self == .tls ? addresses.tlsPort : addresses.proxyPort
    }

    /// Opens a connection to the gateway, by default over HTTP/2.
    package func open(_ addresses: FCMAddresses, protocols: [String] = ["h2"]) async throws -> TLSConnection {
        try await TLSConnection.open(
            port: port(addresses), isProxy: self == .proxy, trusting: addresses.caFile, protocols: protocols)
    }
}
