#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An IPv4 or IPv6 address. An IPv4 address mapped into IPv6 (`::ffff:10.0.0.1`, RFC 4291 §2.5.5.2) counts as IPv4.
package struct IPAddress: Hashable, Sendable {
    /// The 4 or 16 bytes of the address, in network byte order.
    package let bytes: [UInt8]

    /// Takes the bytes of an address, in network byte order; `nil` unless there are 4 or 16.
    package init?(bytes: some Collection<UInt8>) {
        guard [4, 16].contains(bytes.count) else { return nil }
        self.bytes = Self.isMapped(bytes) ? Array(bytes.suffix(4)) : Array(bytes)
    }

    /// Reads the text form (RFC 4291 §2.2, or dotted decimals); `nil` for any other text, including host names and
    /// addresses with a zone.
    package init?(_ text: some StringProtocol) {
        // The system's parser ends at a null byte, and reads zones on some systems.
        guard !text.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "%") }) else { return nil }
        let text = String(text)
        guard let bytes = Self.bytes(of: text, AF_INET, count: 4) ?? Self.bytes(of: text, AF_INET6, count: 16) else {
            return nil
        }
        self.init(bytes: bytes)
    }

    private static func bytes(of text: String, _ family: CInt, count: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            initializedCount = inet_pton(family, text, buffer.baseAddress) == 1 ? count : 0
        }
        return bytes.isEmpty ? nil : bytes
    }

    private static func isMapped(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.count == 16 && bytes.prefix(12).elementsEqual([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
    }

    /// The spelling of RFC 5952, of which each address has one.
    package var canonicalText: String {
        guard bytes.count == 16 else { return bytes.map { "\($0)" }.joined(separator: ".") }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            guard let start = text.baseAddress, inet_ntop(AF_INET6, bytes, start, socklen_t(text.count)) != nil else {
                return ""
            }
            return String(cString: start)
        }
    }

    /// `true` for a loopback address: 127.0.0.0/8 or ::1 (RFC 6890).
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Returns `true` if the host, without brackets, is this machine's loopback name or address.
    package static func isLoopback(host: String) -> Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

    /// Returns `true` if the host of a URL is this machine's loopback name or address. Foundation gives an IPv6 address
    /// with brackets or without them.
    package static func isLoopback(urlHost: String) -> Bool { isLoopback(host: urlHost.filter { !"[]".contains($0) }) }
}
