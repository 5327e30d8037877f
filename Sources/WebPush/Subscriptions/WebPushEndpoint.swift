package import Messaging
import Texts

/// The URL at which a push service takes messages for one subscription (RFC 8030 §5).
///
/// Strangers name it, so it is read by stricter rules than a URL has (RFC 3986): what other programs may read in
/// another way is refused. It is as secret as a token.
package struct WebPushEndpoint: Hashable, Sendable {
    /// The host: a name in lower case, or an IP address in its canonical spelling, without brackets.
    package let host: String
    /// The port.
    package let port: Int
    /// The path with its query, which begins with a slash.
    package let path: String

    /// The greatest number of bytes of an endpoint. The services' own have at most about a thousand, which is the limit
    /// of UnifiedPush.
    package static let maximumByteCount = 2_048

    /// The standard port of HTTPS.
    package static let standardPort = 443

    /// Reads a URL.
    ///
    /// - Throws: an error that says which rule it breaks.
    package init(_ url: String) throws(SubscriptionError) {
        let bytes = url.utf8
        try Self.require(bytes.count <= Self.maximumByteCount, "must have at most \(Self.maximumByteCount) bytes")
        // A URL has neither spaces nor other characters than ASCII's. A backslash is a slash for some programs.
        try Self.require(
            bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") },
            "must be a URL of printable ASCII characters")
        try Self.require(!bytes.contains(UInt8(ascii: "#")), "must have no fragment")
        let scheme = "https://"
        try Self.require(
            bytes.starts(with: scheme.utf8) || url.prefix(scheme.count).lowercased() == scheme,
            "must begin with https://")
        let rest = bytes.dropFirst(scheme.utf8.count)
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        let authority = url[rest.startIndex..<end]
        if ServiceProfile.mainHosts[String(authority)] != nil {
            (host, port) = (String(authority), Self.standardPort)
        } else {
            let server = try Self.server(authority)
            (host, port) = (server.host, server.port ?? Self.standardPort)
        }
        let tail = url[end...]
        path = tail.utf8.first == UInt8(ascii: "/") ? String(tail) : "/" + tail
    }

    /// Reads a host, in the form of ``host``, and a port; `nil` if the text names none.
    package static func server(_ authority: Substring) throws(SubscriptionError) -> (host: String, port: Int?) {
        try require(!authority.contains("@"), "must have no user information")
        let colon = authority.lastIndex(of: ":")
        // The colons within brackets are those of an address.
        guard let colon, !authority[colon...].contains("]") else {
            return (try HostName.read(authority), nil)
        }
        let digits = authority[colon...].dropFirst()
        let port = digits.utf8.allSatisfy(\.isASCIIDigit) && digits.count <= 5 ? Int(digits) : nil
        guard let port, (1...65_535).contains(port) else {
            throw SubscriptionError("endpoint", "must have a port from 1 to 65535")
        }
        return (try HostName.read(authority[..<colon]), port)
    }

    private static func require(
        _ isMet: Bool, _ requirement: @autoclosure () -> String
    ) throws(SubscriptionError) {
        guard isMet else { throw SubscriptionError("endpoint", requirement()) }
    }

    /// The URL in the spelling that stands for all: the scheme and the host in small letters, an address in its
    /// canonical spelling, no standard port.
    package var url: String { origin + path }

    /// The scheme, host and port (RFC 6454 §6.2), which are the audience of the sender's token.
    package var origin: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == Self.standardPort ? "https://\(host)" : "https://\(host):\(port)"
    }
}

/// The push service that an endpoint belongs to.
extension WebPushEndpoint {
    /// The rules of the service.
    package var profile: ServiceProfile { ServiceProfile(host: host) }

    /// `true` if the server is certainly the service's own: one of its main hosts, on the standard port.
    package var isAtMainHost: Bool { ServiceProfile.isMain(host, port: port) }

    /// `true` if the server's answers tell about a known service. Clients can name any host below the domains of those
    /// with main hosts, such as one for storage.
    var isOfKnownService: Bool { isAtMainHost || profile != .plain && !profile.hasMainHosts }
}

extension WebPushEndpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The origin: the path is a secret.
    package var description: String { "\(origin)/…" }
    /// The origin: the path is a secret.
    package var debugDescription: String { description }
    /// A mirror without the path.
    package var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
}
