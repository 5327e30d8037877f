import IPAddresses

/// The hosts that are reached without the proxy, by the rules of curl's `no_proxy`.
///
/// Commas or blanks separate the entries. A name, with or without a dot before it, covers itself and the names below
/// it. An address covers itself; an address with a prefix length (`10.0.0.0/8`) covers its network. A single `*`
/// covers each host. Names are not resolved, so an address covers no name.
package struct NoProxyList: Hashable, Sendable {
    private enum Entry: Hashable {
        case name(String)
        case network(AddressRange)
    }

    private let coversAll: Bool
    private let entries: [Entry]

    /// Parses a list. Entries that are not valid are ignored.
    package init(_ text: String) {
        coversAll = text == "*"
        entries = text.split { ", \t".contains($0) }.compactMap(Self.entry)
    }

    private static func entry(_ text: Substring) -> Entry? {
        guard IPAddress(text.prefix { $0 != "/" }) == nil else { return AddressRange(text).map(Entry.network) }
        let name = normalized(text.first == "." ? text.dropFirst() : text)
        return name.isEmpty ? nil : .name(name)
    }

    /// Returns the name in lower case, without the dot at the end of a fully qualified name.
    private static func normalized(_ name: Substring) -> String {
        (name.last == "." ? name.dropLast() : name).lowercased()
    }

    /// Returns `true` if the list covers the host.
    ///
    /// - Parameter host: a name, or an address without brackets.
    func covers(_ host: String) -> Bool {
        guard !coversAll else { return true }
        let (address, name) = (IPAddress(host), Self.normalized(host[...]))
        return entries.contains { entry in
            switch entry {
            case .name(let suffix): address == nil && (name == suffix || name.hasSuffix(".\(suffix)"))
            case .network(let range): address.map(range.contains) ?? false
            }
        }
    }
}
