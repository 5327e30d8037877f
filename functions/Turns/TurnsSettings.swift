package import Settings

extension Turns {
    /// The keys of the settings.
    package static let keys = SettingKeys(below: "functions.turns.", TurnsSettings.self)
}

/// The settings of turns. docs/functions/turns.md describes them.
package struct TurnsSettings: ModuleSettings {
    /// The keys for the endpoints; each of them opens every endpoint. Without keys, all clients may call.
    package var apiKeys: APIKeys = []
    /// The game site's URL, without a slash at its end.
    package var site = "https://online-go.com"
    /// The interval of the polls of each player's games.
    package var interval = Duration.seconds(30)
    /// The maximum number of concurrent polls.
    package var requestsAtOnce = 16
    /// The maximum number of players without a device that one address may register per hour; 0 removes the limit.
    package var newPlayersPerHourPerAddress = 60
    /// The label at the beginning of every notification, in brackets; `nil` for none.
    package var label: String?
    /// The app's bundle id; `nil` for the first app in the gateway's configuration.
    package var bundleID: String?
    /// The environment of the devices' tokens; `nil` for the app's.
    package var environment: String?

    /// The default settings.
    package init() {}
}

extension TurnsSettings: DeclaredSettings {
    /// The settings, each declared once.
    package static let settings: [Setting<TurnsSettings>] = [
        .enabled(),
        Setting(
            "apiKeys", \.apiKeys, .apiKeys(), secrecy: .secret,
            "The keys that apps send as X-API-Key; with none, every client may call"),
        Setting("site", \.site, .webAddress(), "The site of the games"),
        Setting(
            "interval", \.interval, .duration { value, _ in value < .seconds(1) ? "must be a second or more" : nil },
            "The time between two polls of a player's games"),
        Setting(
            "requestsAtOnce", \.requestsAtOnce, .integer(1...1_000), "The number of players polled at the same time"),
        Setting(
            "newPlayersPerHourPerAddress", \.newPlayersPerHourPerAddress, .count(),
            "The number of players without a device that one address may register; 0 for no limit"),
        Setting("label", optional: \.label, .text(), "The beginning of every notification, in brackets"),
        .bundleID(\.bundleID),
        .environment(\.environment),
    ]

    /// Reads the settings; `nil` if the system is off.
    package init?(_ settings: SettingsReader) throws(ConfigurationError) {
        guard try settings.isEnabled() else { return nil }
        self.init()
        try apply(settings)
        if label == "none" { label = nil }
    }
}
