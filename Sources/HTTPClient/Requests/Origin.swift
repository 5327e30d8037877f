/// The scheme, host and port of a server, by which connections are shared (RFC 9110 §4.3.1).
struct Origin: Hashable, Sendable {
    let scheme: String
    /// The host and, if the URL has one, the port. It may be logged.
    let authority: String

    /// The host: a name in lower case, or an address without brackets.
    var host: String {
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }

    /// Splits an absolute URL into its origin and the rest, `/path?query`, which must not be logged.
    static func splitting(_ url: String) throws(HTTPClientError) -> (origin: Origin, rest: Substring) {
        let bytes = url.utf8
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .invalid("the URL has characters that must be percent-encoded")
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            throw .invalid("the URL is not absolute")
        }
        let scheme = url[..<colon].lowercased()
        guard scheme == "https" || scheme == "http" else {
            throw .invalid("the URL is neither http nor https")
        }
        let afterScheme = bytes[colon...].dropFirst(3)
        let authority = afterScheme.prefix { !endsAuthority.contains($0) }
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else {
            throw .invalid("the URL has no host, or has credentials before it")
        }
        let origin = Origin(scheme: scheme, authority: Substring(authority).lowercased())
        return (origin, Substring(afterScheme[authority.endIndex...]))
    }

    /// The characters `/`, `?` and `#`, which end an authority (RFC 3986 §3.2).
    private static let endsAuthority = Array("/?#".utf8)
}
