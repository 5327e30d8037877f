/// A range of IP addresses in CIDR notation (RFC 4632), for example `10.0.0.0/8`. A single address, such as `::1`, is
/// a range too.
package struct AddressRange: Hashable, Sendable {
    private let prefix: IPAddress
    private let length: Int

    /// Reads an address with or without a prefix length; `nil` if the text is neither.
    ///
    /// The length of a prefix that is an IPv4 address mapped into IPv6 counts in IPv4 (`::ffff:10.0.0.0/8`), or in IPv6
    /// if it is longer (`::ffff:10.0.0.0/104`).
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let prefix = IPAddress(parts[0]) else { return nil }
        let bits = prefix.bytes.count * 8
        guard var length = parts.count == 2 ? Int(parts[1]) : bits else { return nil }
        if length > 32, bits == 32, parts[0].utf8.contains(UInt8(ascii: ":")) { length -= Self.mappingBits }
        guard (0...bits).contains(length) else { return nil }
        self.prefix = prefix
        self.length = length
    }

    /// The length of `::ffff:0:0/96`.
    private static let mappingBits = 96

    /// Returns `true` if the range contains the address. Both must be of the same family.
    package func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == prefix.bytes.count else { return false }
        let (whole, rest) = length.quotientAndRemainder(dividingBy: 8)
        guard address.bytes.prefix(whole) == prefix.bytes.prefix(whole) else { return false }
        return rest == 0 || (address.bytes[whole] ^ prefix.bytes[whole]) >> (8 - rest) == 0
    }
}
