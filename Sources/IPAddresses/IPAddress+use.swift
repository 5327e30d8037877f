/// The uses that IANA reserves addresses for, in its registries for
/// [IPv4](https://www.iana.org/assignments/iana-ipv4-special-registry) and
/// [IPv6](https://www.iana.org/assignments/iana-ipv6-special-registry). A program that connects to hosts which somebody
/// else names needs them.
extension IPAddress {
    /// A use of an address.
    package enum Use: Hashable, Sendable, CaseIterable {
        /// Any host on the internet.
        case `public`
        /// No host, or this machine: 0.0.0.0/8 and `::`.
        case unspecified
        /// This machine.
        case loopback
        /// The service of a cloud that gives a machine its identity and its credentials, such as 169.254.169.254.
        case metadata
        /// The neighbors on one network cable (RFC 3927, RFC 4291 §2.5.6).
        case linkLocal
        /// A private network of IPv4 (RFC 1918).
        case `private`
        /// The network between a provider and its customers (RFC 6598).
        case shared
        /// A private network of IPv6 (RFC 4193).
        case uniqueLocal
        /// Many hosts at once (RFC 5771, RFC 4291 §2.7).
        case multicast
        /// Examples in documents (RFC 5737, RFC 3849, RFC 9637).
        case documentation
        /// Any other use, or none yet.
        case reserved
    }

    /// The use of the address. An address that stands for one of IPv4 has its use, because packets arrive there.
    package var use: Use {
        let address = translated ?? self
        if address.isLoopback { return .loopback }
        return Self.uses.first { $0.range.contains(address) }?.use ?? .reserved
    }

    /// `true` for the address of a host on the internet. A connection to any other address may reach this machine, or
    /// the networks around it. A name can have several addresses, and others a moment later: check the one to connect
    /// to.
    package var isPublic: Bool { use == .public }

    /// The IPv4 address for which an IPv6 address stands, by NAT64 (RFC 6052 §2.1) or 6to4 (RFC 3056 §2); `nil` for
    /// any other address.
    private var translated: IPAddress? {
        if Self.nat64?.contains(self) == true { return IPAddress(bytes: bytes[12..<16]) }
        if Self.sixToFour?.contains(self) == true { return IPAddress(bytes: bytes[2..<6]) }
        return nil
    }

    private static let nat64 = AddressRange("64:ff9b::/96")
    private static let sixToFour = AddressRange("2002::/16")

    /// The uses of ranges. The first range with an address counts, so the public ones are last.
    private static let uses: [(range: AddressRange, use: Use)] = [
        // The metadata of AWS, Azure, Google and others; of containers on AWS; of Alibaba; of Oracle; of Azure's agent.
        // By IPv6, those of AWS and of Google.
        ("169.254.169.254", .metadata), ("169.254.170.2", .metadata), ("100.100.100.200", .metadata),
        ("192.0.0.192", .metadata), ("168.63.129.16", .metadata), ("fd00:ec2::254", .metadata),
        ("fd20:ce::254", .metadata),
        ("0.0.0.0/8", .unspecified), ("::", .unspecified),
        ("10.0.0.0/8", .private), ("172.16.0.0/12", .private), ("192.168.0.0/16", .private),
        ("100.64.0.0/10", .shared), ("169.254.0.0/16", .linkLocal), ("fe80::/10", .linkLocal),
        ("fc00::/7", .uniqueLocal), ("224.0.0.0/4", .multicast), ("ff00::/8", .multicast),
        ("192.0.2.0/24", .documentation), ("198.51.100.0/24", .documentation), ("203.0.113.0/24", .documentation),
        ("2001:db8::/32", .documentation), ("3fff::/20", .documentation),
        // Protocols of the IETF (RFC 6890, RFC 2928 with Teredo), relays of 6to4 (RFC 7526), benchmarks (RFC 2544), and
        // the former class E with the address of broadcasts (RFC 1112 §4, RFC 919 §7).
        ("192.0.0.0/24", .reserved), ("192.88.99.0/24", .reserved), ("198.18.0.0/15", .reserved),
        ("240.0.0.0/4", .reserved), ("2001::/23", .reserved),
        ("0.0.0.0/0", .public), ("2000::/3", .public),
    ].compactMap { text, use in AddressRange(text).map { ($0, use) } }
}
