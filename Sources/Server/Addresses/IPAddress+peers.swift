package import IPAddresses
package import NIOCore
import Texts

/// The addresses of peers: of a socket, and as proxies write them.
extension IPAddress {
    /// Takes the address of a socket; `nil` for a socket of this machine alone.
    package init?(_ address: SocketAddress) {
        // The layout of sockaddr_in and sockaddr_in6. Their members belong to different modules in debug and release
        // builds.
        let place: Range<Int>
        switch address {
        case .v4: place = 4..<8
        case .v6: place = 8..<24
        case .unixDomainSocket: return nil
        }
        self.init(bytes: address.withSockAddr { Array(UnsafeRawBufferPointer(start: $0, count: $1)[place]) })
    }

    /// Reads an address as proxies write it (RFC 7239 §6): alone, in brackets, or with the port of its connection, as
    /// in `203.0.113.3:50000` and `[2001:db8::1]:50000`.
    init?(node: String) {
        let (host, port) = Self.parts(ofNode: node)
        guard port.isEmpty || port.hasPrefix("_") || Self.isPort(port) else { return nil }
        self.init(host)
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
}
