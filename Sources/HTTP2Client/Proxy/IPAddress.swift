import Foundation
import NIOCore

/// The bytes of an IPv4 or IPv6 address, in network order.
struct IPAddress: Hashable, Sendable {
    let bytes: [UInt8]

    /// Parses the text form of an address.
    ///
    /// - Returns: `nil` for any other text, also for an address with a zone.
    init?(_ text: Substring) {
        guard !text.contains("%"), let address = try? SocketAddress(ipAddress: String(text), port: 0) else {
            return nil
        }
        // The layout of sockaddr_in and sockaddr_in6. Their members belong to different modules in debug and release
        // builds.
        let place: Range<Int>
        switch address {
        case .v4: place = 4..<8
        case .v6: place = 8..<24
        case .unixDomainSocket: return nil
        }
        bytes = address.withSockAddr { Array(UnsafeRawBufferPointer(start: $0, count: $1)[place]) }
    }

    /// Returns `true` if the first bits of both are the same.
    func hasPrefix(_ other: IPAddress, bits: Int) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
        return rest == 0 || (bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0
    }
}
