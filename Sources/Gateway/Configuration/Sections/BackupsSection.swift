package import Settings

/// The settings of the backups that the gateway makes itself.
package struct BackupsSection: ConfigurationSection {
    static let name = "backups"
    /// The key of the number of daily backups.
    static let keepKey = "backups.keep"

    /// The number of daily backups to keep in the data directory; 0 for none.
    package var keep = 0
    /// `true` to back up the data before a newer version updates the database.
    package var beforeUpgrade = true

    /// The settings, each declared once.
    package static let settings: [Setting<BackupsSection>] = [
        Setting(keepKey, \.keep, .integer(0...1_000), "The number of daily backups to keep"),
        Setting(
            "backups.beforeUpgrade", \.beforeUpgrade, .boolean(),
            "Makes a backup before a newer version updates the database"),
    ]

    package init() {}
}
