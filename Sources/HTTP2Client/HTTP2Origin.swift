/// A server: the host and port that connections are kept for, always by TLS.
public struct HTTP2Origin: Hashable, Sendable {
    public let host: String
    public let port: Int

    public init(host: String, port: Int = 443) {
        self.host = host
        self.port = port
    }

    /// The server of a URL such as `https://api.push.apple.com` or `https://[::1]:2197`; `nil` for anything else.
    public init?(_ url: String) {
        let scheme = "https://"
        guard url.hasPrefix(scheme) else { return nil }
        let authority = url.dropFirst(scheme.count)
        guard let colon = authority.lastIndex(of: ":"), authority[colon...].dropFirst().allSatisfy(\.isNumber) else {
            guard !authority.isEmpty else { return nil }
            self.init(host: Self.withoutBrackets(authority))
            return
        }
        guard let port = Int(authority[colon...].dropFirst()), colon != authority.startIndex else { return nil }
        self.init(host: Self.withoutBrackets(authority[..<colon]), port: port)
    }

    public var url: String { "https://" + authority }

    /// `:authority` (RFC 9113 §8.3.1): without the standard port.
    var authority: String { port == 443 ? hostInURL : hostAndPort }

    /// As `CONNECT` names it (RFC 9110 §9.3.6).
    var hostAndPort: String { "\(hostInURL):\(port)" }

    private var hostInURL: String { host.contains(":") ? "[\(host)]" : host }

    private static func withoutBrackets(_ host: Substring) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
    }
}
