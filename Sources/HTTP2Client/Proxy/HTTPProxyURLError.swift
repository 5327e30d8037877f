/// The reason for which a text is no URL of a proxy. It repeats nothing of the text but a scheme: there may be a password in it.
public enum HTTPProxyURLError: Error, Hashable, Sendable {
    case characters
    case scheme(String)
    case credentials
    case host
    case port
    case path
}

extension HTTPProxyURLError: CustomStringConvertible {
    /// A sentence without its subject.
    public var description: String {
        switch self {
        case .characters: "has blanks, or characters that a URL has as %20 and the like. \(Self.form)"
        case .scheme(let scheme):
            "begins with \(scheme)://, and only proxies at http:// can be gone through, by CONNECT. \(Self.form)"
        case .credentials:
            "has a user or a password in which a % is not followed by two hexadecimal digits. \(Self.form)"
        case .host: "has no host, or one that cannot be. \(Self.form)"
        case .port: "has a port that is none from 1 to 65535. \(Self.form)"
        case .path: "goes on behind host and port. \(Self.form)"
        }
    }

    private static let form = "Write http://proxy.example:3128, or http://user:password@proxy.example:3128"
}
