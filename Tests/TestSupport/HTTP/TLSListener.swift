/// The ways to a gateway's TLS: its TLS listener, and the tunnels of its proxy.
public enum TLSListener: String, CaseIterable, Sendable {
    case tls, proxy

    public func port(_ addresses: FCMAddresses) -> Int {
        self == .tls ? addresses.tlsPort : addresses.proxyPort
    }

    /// Opens a connection to the gateway, over HTTP/2 unless told otherwise.
    public func open(_ addresses: FCMAddresses, protocols: [String] = ["h2"]) async throws -> TLSConnection {
        try await TLSConnection.open(
            port: port(addresses), isProxy: self == .proxy, trusting: addresses.caFile, protocols: protocols)
    }
}
