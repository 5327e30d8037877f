/// The URLs that a gateway listens at.
package struct GatewayAddresses: Hashable, Sendable {
    /// The URL of `http.port`, for example `http://127.0.0.1:8080`.
    package let http: String
    /// The URL of the HTTPS port, for example `https://push.example.com`; `nil` if it is not configured.
    package let https: String?
    /// The URL of `http.redirectPort`, for example `http://[::]:80`; `nil` if it is not configured.
    package let redirect: String?
    /// The URL of `fcm.tls.port`, the same API over TLS, for example `https://127.0.0.1:8443`; `nil` if it is not
    /// configured.
    package let tls: String?
    /// The URL of `fcm.proxy.port`, the proxy, for example `http://127.0.0.1:8444`; `nil` if it is not configured.
    package let proxy: String?

    /// Returns the loopback address to connect to if `host` means all addresses; `nil` if `host` is a specific
    /// address.
    static func loopback(insteadOf host: String) -> String? {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: nil
        }
    }

    /// Returns a URL such as `http://[::1]:8080`. IPv6 addresses are put in brackets (RFC 3986 §3.2.2).
    static func url(scheme: String, host: String, port: Int) -> String {
        "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
