import Texts

/// The host and port of a URL, in the form of `Host` and `:authority` (RFC 3986 §3.2.2 and §3.2.3).
package struct Authority: Hashable, Sendable {
    /// The host in lower case, without the brackets of an IPv6 address and without the dot at the end of a fully
    /// qualified name.
    package let host: String
    /// The port; `nil` if it is left out.
    package let port: Int?

    /// Parses a name or an address with an optional port; `nil` for any other text.
    package init?(_ text: Substring) {
        guard let (host, rest) = Self.split(text) else { return nil }
        let digits = rest.dropFirst()
        guard rest.isEmpty || rest.utf8.first == UInt8(ascii: ":"), digits.utf8.allSatisfy(\.isASCIIDigit),
            digits.isEmpty || UInt16(digits) != nil
        else { return nil }
        self.host = host.lowercased()
        port = UInt16(digits).map { Int($0) }
    }

    /// Parses a name or an address with an optional port; `nil` for any other text.
    package init?(_ text: String) { self.init(text[...]) }

    /// Separates a syntactically valid host from the text that follows it.
    private static func split(_ text: Substring) -> (host: Substring, rest: Substring)? {
        if text.utf8.first == UInt8(ascii: "[") {
            let inner = text.dropFirst()
            guard let end = inner.utf8.firstIndex(of: UInt8(ascii: "]")), end > inner.startIndex,
                inner[..<end].utf8.allSatisfy(\.isOfIPv6Address)
            else { return nil }
            return (inner[..<end], inner[inner.index(after: end)...])
        }
        let end = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        let name = text[..<end]
        let host = name.utf8.last == UInt8(ascii: ".") ? name.dropLast() : name
        guard !host.isEmpty, host.utf8.allSatisfy(\.isOfHostName) else { return nil }
        return (host, text[end...])
    }
}

extension Authority: CustomStringConvertible {
    /// The form used in a URL: `push.example.com:8443`, `[::1]`.
    package var description: String {
        (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }
}

extension UInt8 {
    /// `true` for letters, digits, hyphens and dots, and for underscores, which names in container networks contain.
    fileprivate var isOfHostName: Bool {
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: isASCIILetterOrDigit
        }
    }

    fileprivate var isOfIPv6Address: Bool {
        isASCIIHexDigit || self == UInt8(ascii: ":") || self == UInt8(ascii: ".")
    }
}
