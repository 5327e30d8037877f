package import HTTPTypes
package import Hummingbird
package import IPAddresses
import Logging

/// A resolver of the client behind proxies: its address, and if it is on this machine.
package struct ClientAddress: Sendable {
    private let trustedProxies: [AddressRange]
    /// The peers that count as loopback, such as the bridge of a container's network.
    private let localPeers: [AddressRange]
    /// The field in which trusted proxies name the client. No other field does.
    private let field: ForwardedField
    /// The log of clients that trusted proxies do not name readably; `nil` for none.
    private let log: LimitedLog?

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - localPeers: The peers that count as loopback.
    ///   - field: The field in which trusted proxies name the client.
    ///   - log: The log of clients that trusted proxies do not name readably; `nil` for none.
    package init(
        trustedProxies: [AddressRange], localPeers: [AddressRange] = [], field: ForwardedField = .xForwardedFor,
        log: LimitedLog? = nil
    ) {
        self.trustedProxies = trustedProxies
        self.localPeers = localPeers
        self.field = field
        self.log = log
    }

    /// Returns the peer or, if the peer is a trusted proxy, the last address in the field that is not one.
    ///
    /// Proxies append to the field, so an address farther left was written by a less trusted sender. A text that is no
    /// address ends the search: the client is then the proxy that wrote it.
    package func client(peer: IPAddress?, headerFields: HTTPFields) -> IPAddress? {
        peer.map { resolve($0, headerFields).client }
    }

    /// Returns the client's address; `nil` if the connection has none.
    package func client(of request: Request, _ context: GatewayRequestContext) -> IPAddress? {
        client(peer: context.peer, headerFields: request.headers)
    }

    /// Returns the client's address and the networks that contain it, narrowest first, as the keys of limits. Clients
    /// without an address have one key in common.
    package func limitKeys(of request: Request, _ context: GatewayRequestContext) -> [String] {
        client(of: request, context)?.limitKeys ?? ["unknown"]
    }

    /// Returns `true` if a request was made on this machine. All checks of permissions for loopback call this method.
    ///
    /// The peer must be loopback or one of the local peers, without a `Forwarded` or `X-Forwarded-…` field from a
    /// proxy; or trusted proxies must name a loopback address as the client. A proxy that is not trusted and adds no
    /// field cannot be distinguished from a client.
    package func isFromLoopback(peer: IPAddress?, headerFields: HTTPFields) -> Bool {
        guard let peer else { return false }
        guard headerFields.areForwarded else { return peer.isLoopback || localPeers.contains { $0.contains(peer) } }
        let (client, isNamed) = resolve(peer, headerFields)
        return isNamed && client.isLoopback
    }

    /// Returns `true` if a request comes from an address in the ranges. Proxies count as they do for loopback: the
    /// address of a proxy is never that of the client.
    package func isFrom(_ ranges: [AddressRange], peer: IPAddress?, headerFields: HTTPFields) -> Bool {
        guard let peer else { return false }
        guard headerFields.areForwarded else { return ranges.contains { $0.contains(peer) } }
        let (client, isNamed) = resolve(peer, headerFields)
        return isNamed && ranges.contains { $0.contains(client) }
    }

    /// Returns `true` for the address of a trusted proxy.
    package func isTrusted(_ address: IPAddress) -> Bool { trustedProxies.contains { $0.contains(address) } }

    /// Follows the addresses that trusted proxies report, beginning with the nearest proxy.
    ///
    /// - Returns: The resulting address, and `true` if a proxy reported it. It is `false` if there is no proxy, or if
    ///   the last one reports no address.
    private func resolve(_ peer: IPAddress, _ headerFields: HTTPFields) -> (client: IPAddress, isNamed: Bool) {
        guard isTrusted(peer) else { return (peer, false) }
        let named = field.clients(in: headerFields)
        if named.isEmpty { reportOtherField(in: headerFields, from: peer) }
        var (client, isNamed) = (peer, false)
        for node in named.reversed() {
            guard isTrusted(client) else { break }
            guard let address = IPAddress(node: node) else {
                reportUnreadable(node, from: client)
                return (client, false)
            }
            (client, isNamed) = (address, true)
        }
        return (client, isNamed)
    }

    private func reportUnreadable(_ node: String, from proxy: IPAddress) {
        log?.log(
            .warning, "failed to read the client's address that a trusted proxy names; its clients share one limit",
            metadata: ["field": "\(field.rawValue)", "address": "\(node.prefix(64))", "proxy": "\(proxy.limitKey)"])
    }

    private func reportOtherField(in headerFields: HTTPFields, from proxy: IPAddress) {
        guard let other = ForwardedField.allCases.first(where: { $0 != field && $0.isPresent(in: headerFields) })
        else { return }
        log?.log(
            .warning, "found no client in http.forwardedField of a trusted proxy; its clients share one limit",
            metadata: [
                "field": "\(field.rawValue)", "present": "\(other.rawValue)", "proxy": "\(proxy.limitKey)",
            ])
    }
}

extension HTTPFields {
    /// `true` if a proxy reports that it forwarded the request, in `Forwarded` (RFC 7239) or an `X-Forwarded-…`
    /// field.
    var areForwarded: Bool {
        contains { $0.name.canonicalName == "forwarded" || $0.name.canonicalName.hasPrefix("x-forwarded-") }
    }
}
