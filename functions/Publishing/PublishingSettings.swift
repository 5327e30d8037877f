package import Settings

extension Publishing {
    /// The keys of the settings.
    package static let keys = SettingKeys(below: "functions.publishing.", PublishingSettings.self)
}

/// The settings of publishing. docs/functions/publishing.md describes them.
package struct PublishingSettings: ModuleSettings {
    /// The maximum number of messages per minute with one token; 0 removes the limit.
    package var messagesPerMinutePerToken = 60

    /// The default settings.
    package init() {}
}

extension PublishingSettings: DeclaredSettings {
    /// The settings, each declared once.
    package static let settings: [Setting<PublishingSettings>] = [
        .enabled(),
        Setting(
            "messagesPerMinutePerToken", \.messagesPerMinutePerToken, .count(),
            "The number of messages with one token; 0 for no limit"),
    ]

    /// Reads the settings; `nil` if the system is off.
    package init?(_ settings: SettingsReader) throws(ConfigurationError) {
        guard try settings.isEnabled() else { return nil }
        self.init()
        try apply(settings)
    }
}
