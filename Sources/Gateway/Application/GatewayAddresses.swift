/// Where a gateway listens.
public struct GatewayAddresses: Hashable, Sendable {
    /// `http://127.0.0.1:8080`: `http.port`.
    public let http: String
    /// `https://127.0.0.1:8443`: the same over TLS, `fcm.tls.port`; nil when there is none.
    public let tls: String?
    /// `http://127.0.0.1:8444`: the proxy, `fcm.proxy.port`; nil when there is none.
    public let proxy: String?
}
