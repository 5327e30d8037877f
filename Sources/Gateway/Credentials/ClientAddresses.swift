internal import Foundation

/// Where clients will reach a gateway, by its configuration and what its operator says.
public struct ClientAddresses: Hashable, Sendable {
    /// `https://push.example.com/fcm`: of the endpoints, without a slash at its end.
    public let url: String
    /// The host in ``url``, without brackets.
    let host: String
    /// `http://127.0.0.1:8444`: of the proxy; nil when there is none.
    let proxy: String?
    /// Whether the gateway listens on all addresses and nobody said which of them clients use, so that these are loopback's.
    public let isGuessed: Bool

    /// - Parameter url: where clients reach the endpoints when that is not where the gateway listens, as behind a proxy
    ///   that speaks TLS.
    /// - Throws: when `url` is none, or a port is known to the running gateway alone.
    public init(_ configuration: GatewayConfiguration, url: String?) throws(ConfigurationError) {
        let loopback = GatewayAddresses.loopback(insteadOf: configuration.http.host)
        if let url {
            (self.url, host) = try Self.checked(url)
        } else {
            try Self.check(configuration.http.port, of: "http.port")
            host = loopback ?? configuration.http.host
            self.url = GatewayAddresses.url(scheme: "http", host: host, port: configuration.http.port)
        }
        isGuessed = loopback != nil && url == nil
        guard let port = configuration.fcm.proxyPort else {
            proxy = nil
            return
        }
        try Self.check(port, of: "fcm.proxy.port")
        proxy = GatewayAddresses.url(
            scheme: "http", host: loopback == nil ? configuration.http.host : host, port: port)
    }

    private static func check(_ port: Int, of key: String) throws(ConfigurationError) {
        guard port != 0 else {
            throw ConfigurationError(
                key: key, problem: "is 0, so that only the running gateway knows it; give it a number")
        }
    }

    private static func checked(_ text: String) throws(ConfigurationError) -> (url: String, host: String) {
        guard let components = URLComponents(string: text), ["http", "https"].contains(components.scheme),
            let host = components.host, !host.isEmpty, components.user == nil, components.password == nil,
            components.query == nil, components.fragment == nil
        else {
            throw ConfigurationError(
                key: "--url", problem: "“\(text)” is no URL of a gateway, as in https://push.example.com")
        }
        let url = text.reversed().drop { $0 == "/" }.reversed()
        return (String(url), host.filter { !"[]".contains($0) })
    }
}
