/// A name by which clients, or pages in a browser, reach a gateway: `http.names`.
public struct GatewayName: Hashable, Sendable {
    let host: String
    /// `nil` for the scheme's own port and for the one that a request came to.
    private let port: Int?
    /// `nil` for both `http` and `https`.
    private let scheme: String?

    /// Reads `push.example.com`, `push.example.com:8443` or `https://push.example.com`.
    ///
    /// - Returns: `nil` for anything else.
    public init?(_ text: String) {
        if let origin = WebOrigin(text) {
            (host, port, scheme) = (origin.host, origin.port, origin.scheme)
        } else if let authority = Authority(text) {
            (host, port, scheme) = (authority.host, authority.port, nil)
        } else {
            return nil
        }
    }

    /// Takes the scheme, host and port of a web address, and leaves its path out.
    init?(ofURL url: String) {
        let parts = url.split(separator: "/", maxSplits: 2)
        guard parts.count > 1 else { return nil }
        self.init("\(parts[0])//\(parts[1])")
    }

    /// Returns whether pages of an origin are the gateway's own by this name.
    ///
    /// - Parameter port: the one in the request's `Host`.
    func covers(_ origin: WebOrigin, requestPort: Int?) -> Bool {
        guard origin.host == host, scheme == nil || scheme == origin.scheme else { return false }
        guard let port else { return origin.port == origin.standardPort || origin.port == requestPort }
        return origin.port == port
    }
}
