import HTTPTypes
import Hummingbird

/// A resolver of the client behind proxies: its address, and if it is on this machine.
struct ClientAddress: Sendable {
    let trustedProxies: [AddressRange]
    /// The peers that count as loopback, such as the bridge of a container's network.
    var localPeers: [AddressRange] = []

    /// Returns the peer or, if the peer is a trusted proxy, the last address in `X-Forwarded-For` that is not one.
    ///
    /// Proxies append to the field, so an address farther left was written by a less trusted sender.
    ///
    /// - Parameter forwardedFor: The field's values, in order.
    func client(peer: IPAddress?, forwardedFor: [String]) -> IPAddress? {
        peer.map { resolve($0, forwardedFor).client }
    }

    /// Returns the client's address; `nil` if the connection has none.
    func client(of request: Request, _ context: GatewayRequestContext) -> IPAddress? {
        client(peer: context.peer, forwardedFor: request.headers.forwardedFor)
    }

    /// Returns `true` if a request was made on this machine. All checks of permissions for loopback call this method.
    ///
    /// The peer must be loopback or one of ``localPeers``, without a `Forwarded` or `X-Forwarded-…` field from a
    /// proxy; or trusted proxies must name a loopback address as the client. A proxy that is not trusted and adds no
    /// field cannot be distinguished from a client.
    func isFromLoopback(peer: IPAddress?, headerFields: HTTPFields) -> Bool {
        guard let peer else { return false }
        guard headerFields.areForwarded else { return peer.isLoopback || localPeers.contains { $0.contains(peer) } }
        let (client, isNamed) = resolve(peer, headerFields.forwardedFor)
        return isNamed && client.isLoopback
    }

    /// Returns `true` if a request comes from an address in the ranges. Proxies count as they do for loopback: the
    /// address of a proxy is never that of the client.
    func isFrom(_ ranges: [AddressRange], peer: IPAddress?, headerFields: HTTPFields) -> Bool {
        guard let peer else { return false }
        guard headerFields.areForwarded else { return ranges.contains { $0.contains(peer) } }
        let (client, isNamed) = resolve(peer, headerFields.forwardedFor)
        return isNamed && ranges.contains { $0.contains(client) }
    }

    func isTrusted(_ address: IPAddress) -> Bool { trustedProxies.contains { $0.contains(address) } }

    /// Follows the addresses that trusted proxies report, beginning with the nearest proxy.
    ///
    /// - Returns: The resulting address, and `true` if a proxy reported it. It is `false` if there is no proxy, or if
    ///   the last one reports no address.
    private func resolve(_ peer: IPAddress, _ forwardedFor: [String]) -> (client: IPAddress, isNamed: Bool) {
        var (client, isNamed) = (peer, false)
        for hop in forwardedFor.flatMap({ $0.split(separator: ",") }).reversed() {
            guard isTrusted(client) else { break }
            guard let address = IPAddress(hop.filter { !$0.isWhitespace }) else { return (client, false) }
            (client, isNamed) = (address, true)
        }
        return (client, isNamed)
    }
}

extension ClientAddress {
    init(_ configuration: GatewayConfiguration.HTTP) {
        self.init(trustedProxies: configuration.trustedProxies, localPeers: configuration.localPeers)
    }
}

extension HTTPFields {
    /// The values of `X-Forwarded-For`, in order.
    var forwardedFor: [String] { filter { $0.name.canonicalName == "x-forwarded-for" }.map(\.value) }

    /// `true` if a proxy reports that it forwarded the request, in `Forwarded` (RFC 7239) or an `X-Forwarded-…`
    /// field.
    var areForwarded: Bool {
        contains { $0.name.canonicalName == "forwarded" || $0.name.canonicalName.hasPrefix("x-forwarded-") }
    }
}
