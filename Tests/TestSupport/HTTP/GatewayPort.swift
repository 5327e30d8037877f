/// The ports of a gateway.
public enum GatewayPort: String, CaseIterable, Sendable {
    case plain, tls, proxy

    /// Opens a connection that is ready for a request.
    public func open(_ serving: ServingProcess, protocols: [String] = ["http/1.1"]) async throws -> TLSConnection {
        guard self != .plain else { return try await .openPlain(port: Int(serving.caller.port)) }
        let addresses = try FCMAddresses(serving)
        return try await TLSConnection.open(
            port: self == .proxy ? addresses.proxyPort : addresses.tlsPort, isProxy: self == .proxy,
            trusting: addresses.caFile, protocols: protocols)
    }
}
