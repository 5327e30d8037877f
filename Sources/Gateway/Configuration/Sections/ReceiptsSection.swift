package import Settings

/// The settings of receipts.
package struct ReceiptsSection: ConfigurationSection {
    static let name = "receipts"

    /// The maximum number of receipts that one address may send in a minute; 0 removes the limit.
    package var perMinutePerAddress = 300

    /// The settings, each declared once.
    package static let settings: [Setting<ReceiptsSection>] = [
        Setting(
            "receipts.perMinutePerAddress", \.perMinutePerAddress, .count(),
            "The number of receipts that one address may send in a minute; 0 for no limit")
    ]

    package init() {}
}
