package import IPAddresses

/// The networks by which limits count clients.
extension IPAddress {
    /// The key by which rate limits count a client: an IPv4 address, or an IPv6 /64 network, because a host with one
    /// address of such a network can use all of them.
    package var limitKey: String { bytes.count == 4 ? dotted(4) : network(64) }

    /// The networks around ``limitKey``, narrowest first, because one owner can have many clients' addresses. For
    /// IPv6, they are the /48 of a site and the /32 of a provider (RFC 6177); for IPv4, the /24 and the /16.
    package var widerNetworks: [String] {
        bytes.count == 4 ? [network(24), network(16)] : [network(48), network(32)]
    }

    /// The ``limitKey`` followed by the ``widerNetworks``.
    package var limitKeys: [String] { [limitKey] + widerNetworks }

    /// Returns the network of the address.
    ///
    /// - Parameter bits: The length of the prefix: 16 or 24 for IPv4; 32, 48 or 64 for IPv6.
    private func network(_ bits: Int) -> String {
        guard bytes.count == 16 else { return "\(dotted(bits / 8))/\(bits)" }
        var groups = stride(from: 0, to: bits / 8, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        // The host's part is at least half of the address, so no other run of zeros is longer (RFC 5952 §4.2).
        while groups.last == 0 { groups.removeLast() }
        return "\(groups.map { String($0, radix: 16) }.joined(separator: ":"))::/\(bits)"
    }

    /// Returns the dotted decimals of an IPv4 address, with zeros after the first bytes.
    private func dotted(_ count: Int) -> String {
        // One text at a time: all of them are so short that they need no memory.
        var text = ""
        for index in bytes.indices {
            if index > 0 { text += "." }
            text += String(index < count ? bytes[index] : 0)
        }
        return text
    }
}
