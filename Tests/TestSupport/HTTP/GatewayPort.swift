/// A port of a gateway.
package enum GatewayPort: String, CaseIterable, Sendable {
    case plain, tls, proxy

    /// Opens a connection that is ready for a request.
    ///
    /// - Parameter source: an address of this machine to connect from; `nil` for the system's choice.
    package func open(
        _ serving: ServingProcess, from source: String? = nil, protocols: [String] = ["http/1.1"]
    ) async throws -> TLSConnection {
        guard self != .plain else { return try await .openPlain(from: source, port: Int(serving.caller.port)) }
        let addresses = try FCMAddresses(serving)
        return try await TLSConnection.open(
            from: source, port: self == .proxy ? addresses.proxyPort : addresses.tlsPort, isProxy: self == .proxy,
            trusting: addresses.caFile, protocols: protocols)
    }
}
