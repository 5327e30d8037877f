package import Messaging
package import Settings

extension Turns {
    /// The keys of the settings. ``TurnsSettings`` has their meanings and defaults.
    package static let keys = SettingKeys(
        below: "functions.turns.",
        [
            "bundleId", "enabled", "environment", "interval", "label", "newPlayersPerHourPerAddress", "requestsAtOnce",
            "site",
        ], lists: ["apiKeys"], secrets: ["apiKeys"])
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
    /// The APNs environment of the devices; `nil` for the app's.
    package var environment: APNsEnvironment?

    /// The default settings.
    package init() {}
}

extension TurnsSettings {
    /// Reads the settings; `nil` if the system is off.
    package init?(_ settings: SettingsReader) throws(ConfigurationError) {
        guard try settings.boolean("enabled") == true else { return nil }
        self.init()
        apiKeys = try settings.apiKeys("apiKeys")
        site = try settings.webAddress("site") ?? site
        interval = try settings.duration("interval") ?? interval
        guard interval >= .seconds(1) else {
            throw settings.problem("interval", "must be a second or more")
        }
        requestsAtOnce = try settings.integer("requestsAtOnce", in: 1...1_000) ?? requestsAtOnce
        newPlayersPerHourPerAddress =
            try settings.integer("newPlayersPerHourPerAddress", in: 0...1_000_000_000)
            ?? newPlayersPerHourPerAddress
        label = settings.string("label").flatMap { $0 == "none" ? nil : $0 }
        bundleID = settings.string("bundleId")
        environment = try settings.choice("environment")
    }
}
