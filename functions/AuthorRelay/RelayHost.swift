import Texts

/// A name of the relay as addresses have it: the host in small letters, with its port unless that is the usual one of
/// HTTPS.
///
/// Gateways compare it with the relays that their operators name, so each host has one spelling.
package struct RelayHost: Hashable, Sendable, CustomStringConvertible {
    /// `push.example.com`, `push.example.com:8443` or `[fd00::1]`.
    let text: String

    /// Reads a host, with or without a port; `nil` if it has other letters than ASCII's, which gateways do not read.
    package init?(_ authority: some StringProtocol) {
        var name = authority[...]
        var port = name[name.endIndex...]
        // The colons within brackets are those of an address.
        if let colon = name.lastIndex(of: ":"), !name[colon...].contains("]") {
            port = name[name.index(after: colon)...]
            name = name[..<colon]
        }
        // A dot at the end makes a name absolute, and no other one.
        if name.hasSuffix(".") { name = name.dropLast() }
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isOfHost), port.utf8.allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        let host = name.lowercased()
        text = port.isEmpty || port == "443" ? host : "\(host):\(port)"
    }

    /// Reads the host in the URL of a gateway.
    init?(inURL url: String) {
        guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
        self.init(url[start...].prefix { $0 != "/" })
    }

    /// The host, with its port unless that is the usual one.
    package var description: String { text }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-_.[:]".utf8.contains(byte)
    }
}
