/// Whom a request comes from.
struct ClientAddress: Sendable {
    let trustedProxies: [AddressRange]

    /// The peer; and when that is a trusted proxy, the nearest address in `X-Forwarded-For` that is not one.
    ///
    /// Proxies append, so what stands farther left was written by someone less trusted.
    ///
    /// - Parameter forwardedFor: the header's values, in order.
    func client(peer: IPAddress?, forwardedFor: [String]) -> IPAddress? {
        guard var client = peer else { return nil }
        let hops = forwardedFor.flatMap { $0.split(separator: ",") }.reversed()
        for hop in hops {
            guard isTrusted(client), let address = IPAddress(hop.filter { !$0.isWhitespace }) else { return client }
            client = address
        }
        return client
    }

    private func isTrusted(_ address: IPAddress) -> Bool { trustedProxies.contains { $0.contains(address) } }
}
