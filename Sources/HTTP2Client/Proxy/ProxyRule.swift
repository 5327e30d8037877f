/// The route to servers: through a proxy, with exceptions.
package struct ProxyRule: Hashable, Sendable {
    private let proxy: HTTPProxy?
    private let exceptions: NoProxyList

    /// Makes a rule.
    ///
    /// - Parameter proxy: the proxy, or `nil` to connect to all servers directly.
    package init(_ proxy: HTTPProxy?, except exceptions: NoProxyList = NoProxyList("")) {
        self.proxy = proxy
        self.exceptions = exceptions
    }

    /// The rule without a proxy.
    package static let direct = ProxyRule(nil)

    /// Returns the proxy for a server; `nil` if there is none.
    func proxy(for origin: HTTP2Origin) -> HTTPProxy? { exceptions.covers(origin.host) ? nil : proxy }
}
