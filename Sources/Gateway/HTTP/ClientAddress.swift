internal import HTTPTypes
internal import Hummingbird

/// Resolves the client of a request behind proxies: its address, and whether it is on this machine.
struct ClientAddress: Sendable {
    let trustedProxies: [AddressRange]
    /// Peers that count as loopback, such as the bridge of a container's network.
    var localPeers: [AddressRange] = []

    /// Returns the peer; and if that is a trusted proxy, the nearest address in `X-Forwarded-For` that is not one.
    ///
    /// Proxies append, so what stands farther left was written by someone less trusted.
    ///
    /// - Parameter forwardedFor: the header's values, in order.
    func client(peer: IPAddress?, forwardedFor: [String]) -> IPAddress? {
        peer.map { resolve($0, forwardedFor).client }
    }

    /// Returns the client's address, or `nil` if the connection has none.
    func client(of request: Request, _ context: GatewayRequestContext) -> IPAddress? {
        client(peer: context.peer, forwardedFor: request.headers.forwardedFor)
    }

    /// Returns whether a request was made on this machine. Everything that is allowed from loopback alone asks this.
    ///
    /// It was if its peer is loopback, or one of ``localPeers``, and neither `Forwarded` nor `X-Forwarded-…` says that a
    /// proxy passed it on; or if trusted proxies did, and name a loopback address as the client. A proxy that is neither
    /// trusted nor says anything of itself cannot be told from a client.
    func isFromLoopback(peer: IPAddress?, headerFields: HTTPFields) -> Bool {
        guard let peer else { return false }
        guard headerFields.areForwarded else { return peer.isLoopback || localPeers.contains { $0.contains(peer) } }
        let (client, isNamed) = resolve(peer, headerFields.forwardedFor)
        return isNamed && client.isLoopback
    }

    func isTrusted(_ address: IPAddress) -> Bool { trustedProxies.contains { $0.contains(address) } }

    /// Follows what trusted proxies say, from the nearest one on.
    ///
    /// - Returns: the address it ends at, and whether a proxy names that one: not if there is no proxy, or the last one
    ///   names no address.
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
