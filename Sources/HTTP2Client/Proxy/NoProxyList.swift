/// The hosts that are connected to without the proxy, by the rules of curl's `no_proxy`.
///
/// Entries stand between commas or blanks. A name covers itself and the names below it, with a dot before it or without; an
/// address covers itself, one with a length (`10.0.0.0/8`) its network; a `*` that stands alone covers every host. Names are
/// not resolved: an address covers no name.
public struct NoProxyList: Hashable, Sendable {
    private enum Entry: Hashable {
        case name(String)
        case network(IPAddress, bits: Int)
    }

    private let coversAll: Bool
    private let entries: [Entry]

    public init(_ text: String) {
        coversAll = text == "*"
        entries = text.split { ", \t".contains($0) }.compactMap(Self.entry)
    }

    private static func entry(_ text: Substring) -> Entry? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        if let address = IPAddress(parts[0]) {
            let width = address.bytes.count * 8
            guard let bits = parts.count == 2 ? Int(parts[1]) : width, (0...width).contains(bits) else { return nil }
            return .network(address, bits: bits)
        }
        let name = normalized(text.first == "." ? text.dropFirst() : text)
        return name.isEmpty ? nil : .name(name)
    }

    /// Leaves out the dot at the end of a fully qualified name.
    private static func normalized(_ name: Substring) -> String {
        (name.last == "." ? name.dropLast() : name).lowercased()
    }

    /// - Parameter host: a name, or an address without brackets.
    func covers(_ host: String) -> Bool {
        guard !coversAll else { return true }
        let (address, name) = (IPAddress(host[...]), Self.normalized(host[...]))
        return entries.contains { entry in
            switch entry {
            case .name(let suffix): address == nil && (name == suffix || name.hasSuffix(".\(suffix)"))
            case .network(let network, let bits): address?.hasPrefix(network, bits: bits) ?? false
            }
        }
    }
}
