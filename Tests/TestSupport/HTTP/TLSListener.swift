/// A TLS port of a gateway: its TLS listener, or the tunnels of its proxy.
public enum TLSListener: String, CaseIterable, Sendable {
    case tls, proxy

    /// Returns the port of the listener or the proxy.
    public func port(_ addresses: FCMAddresses) -> Int {
        self == .tls ? addresses.tlsPort : addresses.proxyPort
    }

    /// Opens a connection to the gateway, by default over HTTP/2.
    public func open(_ addresses: FCMAddresses, protocols: [String] = ["h2"]) async throws -> TLSConnection {
        try await TLSConnection.open(
            port: port(addresses), isProxy: self == .proxy, trusting: addresses.caFile, protocols: protocols)
    }
}
