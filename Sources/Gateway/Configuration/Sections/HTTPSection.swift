package import IPAddresses
package import Server
package import Settings

/// The settings of the HTTP server.
package struct HTTPSection: ConfigurationSection {
    static let name = "http"
    static let keys = SettingKeys(HTTPSection.self).adding(TLSSettings.Written.self).adding(ACMESettings.Written.self)

    /// The address or host name to listen on.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 for any free port.
    package var port = 8_080
    /// The peers that are trusted to name the client in ``forwardedField``.
    package var trustedProxies: [AddressRange] = []
    /// The field in which trusted proxies name the client.
    package var forwardedField = ForwardedField.xForwardedFor
    /// The peers that count as loopback.
    package var localPeers: [AddressRange] = []
    /// The names of the gateway besides the names of loopback.
    package var names: [GatewayName] = []
    /// The address at which phones reach the gateway, without a slash at its end; `nil` if it is not known.
    package var publicURL: String?
    /// The time within which a client must send a request once it has begun.
    package var requestTimeout = Duration.seconds(10)
    /// The time that a connection may stay open without a request.
    package var idleTimeout = Duration.seconds(75)
    /// The settings of the HTTPS port; `nil` for none.
    package var tls: TLSSettings?

    /// The settings outside `http.tls` and `http.acme`, each declared once.
    package static let settings: [Setting<HTTPSection>] = [
        Setting("http.host", \.host, .host(), "The address to listen on"),
        Setting("http.port", \.port, .integer(0...65_535), "The port to listen on, 0 for any free port"),
        Setting(
            "http.trustedProxies", \.trustedProxies, .peers("10.0.0.0/8"),
            "The peers whose http.forwardedField is believed"),
        Setting(
            "http.forwardedField", \.forwardedField,
            .choice { field in
                switch field {
                case .xForwardedFor: "X-Forwarded-For"
                case .forwarded: "Forwarded"
                }
            },
            "The field in which the trusted proxies name the client"),
        Setting("http.localPeers", \.localPeers, .peers("10.0.0.0/8"), "The peers that count as loopback"),
        Setting(
            "http.names", \.names,
            .list(
                "list of names", of: "a name like push.example.com or https://push.example.com", { GatewayName($0) }),
            "The names of the gateway, in addition to loopback's"),
        Setting(
            "http.publicUrl", optional: \.publicURL, .webAddress(),
            "The address at which phones and browsers reach the gateway"),
        Setting("http.requestTimeout", \.requestTimeout, .duration(), "The time a client may take to send a request"),
        Setting(
            "http.idleTimeout", \.idleTimeout,
            .duration("duration of 1s or more") { value, text in
                value < .seconds(1) ? "must be 1s or more; got “\(text)”" : nil
            },
            "The time a connection may stay open without a request"),
    ]

    package init() {}

    init(_ settings: SettingsReader) throws(ConfigurationError) {
        self.init()
        try apply(settings)
        tls = try TLSSettings(settings)
    }
}
