package import Messaging
package import Settings

extension Runs {
    /// The keys of the settings. ``RunsSettings`` has their meanings and defaults.
    package static let keys = SettingKeys(
        below: "functions.runs.", ["bundleId", "enabled", "environment"], lists: ["apiKeys", "reminders"],
        secrets: ["apiKeys"])
}

/// The settings of runs. docs/functions/runs.md describes them.
package struct RunsSettings: ModuleSettings {
    /// The keys for the endpoints; each of them opens every endpoint.
    package var apiKeys: APIKeys = []
    /// The delays of the reminders after the first notification of an approval, at most two.
    package var reminders: [Duration] = [.seconds(15 * 60), .seconds(60 * 60)]
    /// The app's bundle id; `nil` for the first app in the gateway's configuration.
    package var bundleID: String?
    /// The APNs environment of the devices; `nil` for the app's.
    package var environment: APNsEnvironment?

    /// The default settings.
    package init() {}
}

extension RunsSettings {
    /// Reads the settings; `nil` if the system is off.
    package init?(_ settings: SettingsReader) throws(ConfigurationError) {
        guard try settings.boolean("enabled") == true else { return nil }
        self.init()
        apiKeys = try settings.apiKeys("apiKeys")
        if apiKeys.isEmpty {
            throw settings.problem(
                "apiKeys", "is missing; servers and devices need one; `openssl rand -hex 24` makes a key")
        }
        let delays = try settings.list("reminders", of: "a duration like 15m") {
            DurationText.duration(of: $0)
        }
        if !delays.isEmpty { reminders = delays }
        guard reminders.count <= 2, reminders == reminders.sorted(), reminders.allSatisfy({ $0 > .zero }) else {
            throw settings.problem("reminders", "must be one or two durations, each longer than the one before")
        }
        bundleID = settings.string("bundleId")
        environment = try settings.choice("environment")
    }
}
