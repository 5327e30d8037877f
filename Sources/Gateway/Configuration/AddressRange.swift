/// A range of IP addresses in CIDR notation (RFC 4632): `10.0.0.0/8`, `::1`.
public struct AddressRange: Hashable, Sendable {
    private let prefix: IPAddress
    private let length: Int

    /// Reads an address, with or without the length of its prefix; nil when it is neither.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let prefix = IPAddress(String(parts[0])) else { return nil }
        let bits = prefix.bytes.count * 8
        guard let length = parts.count == 2 ? Int(parts[1]) : bits, (0...bits).contains(length) else { return nil }
        self.prefix = prefix
        self.length = length
    }

    public func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == prefix.bytes.count else { return false }
        let whole = length / 8
        guard address.bytes.prefix(whole) == prefix.bytes.prefix(whole) else { return false }
        let rest = length % 8
        guard rest > 0 else { return true }
        return (address.bytes[whole] ^ prefix.bytes[whole]) >> (8 - rest) == 0
    }
}
