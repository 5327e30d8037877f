import IPAddresses
import Texts

/// An HTTP proxy that opens tunnels by `CONNECT` (RFC 9110 §9.3.6), without TLS to the proxy.
package struct HTTPProxy: Hashable, Sendable {
    /// A name in lower case, or an IP address without brackets.
    package let host: String
    /// The port, 1 to 65535.
    package let port: Int
    let credentials: ProxyCredentials?

    /// The port of a URL without one, as in curl.
    static let standardPort = 1_080

    /// Parses `http://proxy.example:3128`, `http://user:password@[::1]:3128`, or the same without the scheme.
    ///
    /// - Throws: an error that says which part of the text is wrong, without repeating it.
    package init(_ url: String) throws(HTTPProxyURLError) {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .characters }
        let rest = try Self.withoutScheme(url)
        var authority = rest.prefix { !"/?#".contains($0) }
        if let at = authority.lastIndex(of: "@") {
            guard let credentials = ProxyCredentials(authority[..<at]) else { throw .credentials }
            self.credentials = credentials
            authority = authority[authority.index(after: at)...]
        } else {
            credentials = nil
        }
        (host, port) = try Self.hostAndPort(authority)
        guard ["", "/"].contains(rest[authority.endIndex...]) else { throw .path }
    }

    private static func withoutScheme(_ url: String) throws(HTTPProxyURLError) -> Substring {
        guard let range = url.firstRange(of: "://") else { return url[...] }
        let scheme = url[..<range.lowerBound].lowercased()
        guard scheme == "http" else {
            let isScheme = scheme.utf8.allSatisfy(\.isASCIILetterOrDigit) && !scheme.isEmpty
            throw isScheme ? .scheme(scheme) : .host
        }
        return url[range.upperBound...]
    }

    private static func hostAndPort(_ text: Substring) throws(HTTPProxyURLError) -> (host: String, port: Int) {
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { throw .host }
            let address = text[..<end].dropFirst()
            guard address.contains(":"), IPAddress(address) != nil else { throw .host }
            return (String(address), try port(text[text.index(after: end)...]))
        }
        let end = text.firstIndex(of: ":") ?? text.endIndex
        guard end > text.startIndex, text[..<end].utf8.allSatisfy(\.isOfName) else { throw .host }
        return (text[..<end].lowercased(), try port(text[end...]))
    }

    private static func port(_ text: Substring) throws(HTTPProxyURLError) -> Int {
        guard !text.isEmpty else { return standardPort }
        let digits = text.dropFirst()
        guard text.first == ":", digits.utf8.allSatisfy(\.isASCIIDigit), let port = UInt16(digits), port > 0 else {
            throw .port
        }
        return Int(port)
    }
}

extension HTTPProxy: CustomStringConvertible {
    /// The URL without the credentials.
    package var description: String { "http://" + (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

extension UInt8 {
    fileprivate var isOfName: Bool { isASCIILetterOrDigit || "-._".utf8.contains(self) }
}

/// The reason why a text is not the URL of a proxy. It repeats only the scheme of the text, which may contain a
/// password.
package enum HTTPProxyURLError: Error, Hashable, Sendable {
    /// A blank, or a character that must be percent-encoded.
    case characters
    /// A scheme other than `http`.
    case scheme(String)
    /// Credentials with invalid percent-encoding.
    case credentials
    /// A missing or invalid host.
    case host
    /// A port that is not from 1 to 65535.
    case port
    /// Text after the host and port.
    case path
}

extension HTTPProxyURLError: CustomStringConvertible {
    /// A predicate whose subject is the text, followed by the correct form.
    package var description: String {
        switch self {
        case .characters: "has blanks, or characters that must be percent-encoded (such as %20). \(Self.form)"
        case .scheme(let scheme):
            "begins with \(scheme)://, but only proxies at http:// are supported. \(Self.form)"
        case .credentials:
            "has a user or a password in which a % is not followed by two hexadecimal digits. \(Self.form)"
        case .host: "has no host, or an invalid one. \(Self.form)"
        case .port: "has a port that is not a number from 1 to 65535. \(Self.form)"
        case .path: "has text after the host and port. \(Self.form)"
        }
    }

    private static let form = "Write http://proxy.example:3128, or http://user:password@proxy.example:3128"
}
