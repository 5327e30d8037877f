internal import Foundation
internal import NIOCore

/// The bytes of an IPv4 or IPv6 address, in network order.
struct IPAddress: Hashable, Sendable {
    let bytes: [UInt8]

    /// - Returns: `nil` for anything but the text form of an address without a zone.
    init?(_ text: Substring) {
        guard !text.contains("%"), let address = try? SocketAddress(ipAddress: String(text), port: 0) else {
            return nil
        }
        switch address {
        case .v4(let address): bytes = withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address): bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
        case .unixDomainSocket: return nil
        }
    }

    /// Returns whether the first bits of both are the same.
    func hasPrefix(_ other: IPAddress, bits: Int) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
        return rest == 0 || (bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0
    }
}
