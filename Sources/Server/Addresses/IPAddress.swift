import Foundation
package import NIOCore
import Texts

/// An IPv4 or IPv6 address. An IPv4 address mapped into IPv6 (`::ffff:10.0.0.1`) counts as IPv4.
package struct IPAddress: Hashable, Sendable {
    /// The 4 or 16 bytes of the address, in network byte order.
    package let bytes: [UInt8]

    /// Reads the text form (RFC 4291 §2.2, or dotted decimals); `nil` for any other text, including host names and
    /// addresses with a zone.
    package init?(_ text: String) {
        guard !text.contains("%"), let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        self.init(address)
    }

    /// Reads an address as proxies write it (RFC 7239 §6): alone, in brackets, or with the port of its connection, as
    /// in `203.0.113.3:50000` and `[2001:db8::1]:50000`.
    init?(node: String) {
        let (host, port) = Self.parts(ofNode: node)
        guard port.isEmpty || port.hasPrefix("_") || Self.isPort(port) else { return nil }
        self.init(String(host))
    }

    /// Returns `true` for the number of a port, 0 to 65,535, with at most five digits.
    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.count <= 5 && text.utf8.allSatisfy(\.isASCIIDigit) && UInt16(text) != nil
    }

    /// Splits an address from its port, which is empty without one.
    private static func parts(ofNode node: String) -> (host: Substring, port: Substring) {
        if node.hasPrefix("["), let end = node.firstIndex(of: "]") {
            let rest = node[node.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") && rest.count > 1 else { return ("", "") }
            return (node[..<end].dropFirst(), rest.dropFirst())
        }
        let parts = node.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[1].isEmpty ? (parts[0], parts[1]) : (node[...], "")
    }

    /// Takes the address of a socket; `nil` for a socket of this machine alone.
    package init?(_ address: SocketAddress) {
        switch address {
        case .v4(let v4):
            var raw = v4.address.sin_addr.s_addr
            bytes = withUnsafeBytes(of: &raw) { Array($0) }
        case .v6(let v6):
            var raw = v6.address.sin6_addr
            let all = withUnsafeBytes(of: &raw) { Array($0) }
            let isMapped = all.prefix(10).allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
            bytes = isMapped ? Array(all.suffix(4)) : all
        case .unixDomainSocket: return nil
        }
    }

    /// `true` for a loopback address: 127.0.0.0/8 or ::1 (RFC 6890).
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Returns `true` if the host, without brackets, is this machine's loopback name or address.
    package static func isLoopback(host: String) -> Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

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
        bytes.indices.map { String($0 < count ? bytes[$0] : 0) }.joined(separator: ".")
    }
}

/// A range of IP addresses in CIDR notation (RFC 4632), for example `10.0.0.0/8`. A single address, such as `::1`, is
/// a range too.
package struct AddressRange: Hashable, Sendable {
    private let prefix: IPAddress
    private let length: Int

    /// Reads an address with or without a prefix length; `nil` if the text is neither.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let prefix = IPAddress(String(parts[0])) else { return nil }
        let bits = prefix.bytes.count * 8
        guard let length = parts.count == 2 ? Int(parts[1]) : bits, (0...bits).contains(length) else { return nil }
        self.prefix = prefix
        self.length = length
    }

    /// Returns `true` if the range contains the address. Both must be of the same family.
    package func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == prefix.bytes.count else { return false }
        let whole = length / 8
        guard address.bytes.prefix(whole) == prefix.bytes.prefix(whole) else { return false }
        let rest = length % 8
        guard rest > 0 else { return true }
        return (address.bytes[whole] ^ prefix.bytes[whole]) >> (8 - rest) == 0
    }
}
