package import Settings

extension Runs {
    /// The keys of the settings.
    package static let keys = SettingKeys(below: "functions.runs.", RunsSettings.self)
}

/// The settings of runs. docs/functions/runs.md describes them.
package struct RunsSettings: ModuleSettings {
    /// The keys for the endpoints; each of them opens every endpoint.
    package var apiKeys: APIKeys = []
    /// The delays of the reminders after the first notification of an approval, at most two.
    package var reminders: [Duration] = [.seconds(15 * 60), .seconds(60 * 60)]
    /// The app's bundle id; `nil` for the first app in the gateway's configuration.
    package var bundleID: String?
    /// The environment of the devices' tokens; `nil` for the app's.
    package var environment: String?

    /// The default settings.
    package init() {}
}

extension RunsSettings: DeclaredSettings {
    private static let apiKeysKey = "apiKeys"

    /// The settings, each declared once.
    package static let settings: [Setting<RunsSettings>] = [
        .enabled(),
        Setting(
            apiKeysKey, \.apiKeys, .apiKeys(), secrecy: .secret, "The keys of servers and devices; one is required"),
        Setting("reminders", \.reminders, .reminders(), "The times of the reminders of a pending approval"),
        .bundleID(\.bundleID),
        .environment(\.environment),
    ]

    /// Reads the settings; `nil` if the system is off.
    package init?(_ settings: SettingsReader) throws(ConfigurationError) {
        guard try settings.isEnabled() else { return nil }
        self.init()
        try apply(settings)
        if apiKeys.isEmpty {
            throw settings.problem(
                Self.apiKeysKey, "is missing; servers and devices need one; `openssl rand -hex 24` makes a key")
        }
    }
}

extension SettingForm where Value == [Duration] {
    /// One or two durations in ascending order.
    fileprivate static func reminders() -> SettingForm<[Duration]> {
        SettingForm<[Duration]>("list of durations", isList: true) { delays in
            "`\(delays.map(DurationText.text).joined(separator: ", "))`"
        } read: { settings, key throws(ConfigurationError) in
            let delays = try settings.list(key, of: "a duration like 15m") { DurationText.duration(of: $0) }
            guard delays.count <= 2, delays == delays.sorted(), delays.allSatisfy({ $0 > .zero }) else {
                throw settings.problem(key, "must be one or two durations, each longer than the one before")
            }
            return delays.isEmpty ? nil : delays
        }
    }
}
