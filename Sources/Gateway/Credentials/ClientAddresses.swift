import Foundation
package import Settings

/// The addresses under which clients reach a gateway, from its configuration and its operator.
package struct ClientAddresses: Hashable, Sendable {
    /// The URL of the endpoints without a trailing slash, for example `https://push.example.com/fcm`.
    package let url: String
    /// The host in ``url``, without brackets.
    let host: String
    /// The URL of the proxy, for example `http://127.0.0.1:8444`; `nil` if there is none.
    let proxy: String?
    /// `true` if the gateway listens on all addresses and the operator named none, so that these addresses are
    /// loopback's.
    package let isGuessed: Bool

    /// Determines the addresses.
    ///
    /// - Parameter url: The URL under which clients reach the endpoints, if it differs from the listening address,
    ///   for example behind a proxy that terminates TLS.
    /// - Throws: ``ConfigurationError`` if `url` is not a URL, or if a port is 0, so that only the running gateway
    ///   knows it.
    package init(_ configuration: GatewayConfiguration, url: String?) throws(ConfigurationError) {
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
                key: key, problem: "is 0, so that only the running gateway knows the port; set it to a number")
        }
    }

    private static func checked(_ text: String) throws(ConfigurationError) -> (url: String, host: String) {
        guard let components = URLComponents(string: text), ["http", "https"].contains(components.scheme),
            let host = components.host, !host.isEmpty, components.user == nil, components.password == nil,
            components.query == nil, components.fragment == nil
        else {
            throw ConfigurationError(
                key: "--url", problem: "“\(text)” is not the URL of a gateway, such as https://push.example.com")
        }
        let url = text.reversed().drop { $0 == "/" }.reversed()
        return (String(url), host.filter { !"[]".contains($0) })
    }
}
