/// The way to servers: through a proxy, but for some hosts.
public struct ProxyRule: Hashable, Sendable {
    private let proxy: HTTPProxy?
    private let exceptions: NoProxyList

    /// - Parameter proxy: `nil` to connect to all servers themselves.
    public init(_ proxy: HTTPProxy?, except exceptions: NoProxyList = NoProxyList("")) {
        self.proxy = proxy
        self.exceptions = exceptions
    }

    /// The way without any proxy.
    public static let direct = ProxyRule(nil)

    /// Returns the proxy to go through; `nil` if there is none for that server.
    func proxy(for origin: HTTP2Origin) -> HTTPProxy? { exceptions.covers(origin.host) ? nil : proxy }
}
