/// Where a gateway listens.
public struct GatewayAddresses: Hashable, Sendable {
    /// `http://127.0.0.1:8080`: `http.port`.
    public let http: String
    /// `https://127.0.0.1:8443`: the same over TLS, `fcm.tls.port`; nil when there is none.
    public let tls: String?
    /// `http://127.0.0.1:8444`: the proxy, `fcm.proxy.port`; nil when there is none.
    public let proxy: String?

    /// What to connect to on this machine where a gateway listens on all addresses; nil for an address of its own.
    static func loopback(insteadOf host: String) -> String? {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: nil
        }
    }

    /// `http://[::1]:8080`: an address of IPv6 in brackets (RFC 3986 §3.2.2).
    static func url(scheme: String, host: String, port: Int) -> String {
        "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
