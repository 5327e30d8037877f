internal import Foundation
internal import NIOCore

/// An IPv4 or IPv6 address. An IPv4 address mapped into IPv6 (`::ffff:10.0.0.1`) is taken as IPv4.
public struct IPAddress: Hashable, Sendable {
    /// 4 or 16 bytes, in network order.
    public let bytes: [UInt8]

    /// Reads the text form (RFC 4291 §2.2, or dotted decimals); nil for anything else, names and addresses with a zone included.
    public init?(_ text: String) {
        guard !text.contains("%"), let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        self.init(address)
    }

    init?(_ address: SocketAddress) {
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

    /// `true` if only this machine has it: 127.0.0.0/8 or ::1 (RFC 6890).
    var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1] }

    /// Returns whether a host, without brackets, is this machine by a name or an address.
    static func isLoopback(host: String) -> Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

    /// The key by which limits count one client: an IPv4 address, or an IPv6 network of 64 bits, since a host that has
    /// one address of such a network has all of them.
    var limitKey: String { bytes.count == 4 ? text(bytes: 4) : text(bytes: 8) + "/64" }

    /// The networks around ``limitKey``, from the narrowest on, as one holder may have many clients' addresses: of IPv6 the
    /// /48 that a site and the /32 that a provider is given (RFC 6177); of IPv4 the /24 and the /16.
    var widerNetworks: [String] {
        bytes.count == 4
            ? [text(bytes: 3) + "/24", text(bytes: 2) + "/16"] : [text(bytes: 6) + "/48", text(bytes: 4) + "/32"]
    }

    /// ``limitKey`` and ``widerNetworks``.
    var limitKeys: [String] { [limitKey] + widerNetworks }

    private func text(bytes count: Int) -> String {
        let (radix, separator) = bytes.count == 4 ? (10, ".") : (16, ":")
        return bytes.prefix(count).reduce(into: "") { text, byte in
            if !text.isEmpty { text += separator }
            text += String(byte, radix: radix)
        }
    }
}
