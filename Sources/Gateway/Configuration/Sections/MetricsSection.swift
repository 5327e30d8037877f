package import IPAddresses
package import Settings

/// The settings of the metrics.
package struct MetricsSection: ConfigurationSection {
    static let name = "metrics"

    /// The peers that read the metrics without the admin token, besides this machine.
    package var allowedPeers: [AddressRange] = []

    /// The settings, each declared once.
    package static let settings: [Setting<MetricsSection>] = [
        Setting(
            "metrics.allowedPeers", \.allowedPeers, .peers("10.0.0.0/8"),
            "The peers that read the metrics without the admin token")
    ]

    package init() {}
}
