package import Settings

extension Sessions {
    /// The keys of the settings.
    package static let keys = SettingKeys(below: "functions.sessions.", SessionsSettings.self)
    /// The key of the master key's setting.
    package static let masterKeySetting = Sessions.keys.prefix + SessionsSettings.masterKeyKey
}

/// The settings of coding sessions. docs/functions/sessions.md describes them.
package struct SessionsSettings: ModuleSettings {
    /// The key for all endpoints.
    package var masterKey: APIKeys = []
    /// The keys for endpoints that read. A key that is also a write key opens all of them.
    package var readKeys: APIKeys = []
    /// The keys for endpoints that write.
    package var writeKeys: APIKeys = []
    /// The time after a notification in which a session sends no other of the same type. Permission prompts are
    /// always sent.
    package var coolDown = Duration.seconds(30)
    /// The time that notifications are kept after their creation.
    package var notificationRetention = Duration.seconds(24 * 60 * 60)
    /// The time that events are kept after their arrival, and sessions after their last event.
    package var eventRetention = Duration.seconds(7 * 24 * 60 * 60)
    /// The time that reporting machines are kept after their last event.
    static let deviceRetention = Duration.seconds(30 * 24 * 60 * 60)
    /// The app's bundle id; `nil` for the first app in the gateway's configuration.
    package var bundleID: String?

    /// The default settings, with which no master key opens an endpoint.
    package init() {}

    /// - Parameter masterKey: The key for all endpoints.
    package init(masterKey: String) { self.masterKey = [masterKey] }

    /// Returns `true` if the text has the form of a key other than the master key: `claud_` and 32 hexadecimal digits.
    package static func isKey(_ text: String) -> Bool { GeneratedKey.isWellFormed(text) }
}

extension SessionsSettings: DeclaredSettings {
    fileprivate static let masterKeyKey = "masterKey"

    /// The settings, each declared once.
    package static let settings: [Setting<SessionsSettings>] = [
        .enabled(),
        Setting(masterKeyKey, \.masterKey, .masterKey(), secrecy: .secret, "The key for every endpoint"),
        Setting("readKeys", \.readKeys, .scopedKeys(), secrecy: .secret, "The keys for the endpoints that read"),
        Setting("writeKeys", \.writeKeys, .scopedKeys(), secrecy: .secret, "The keys for the endpoints that write"),
        Setting(
            "coolDown", \.coolDown, .duration(),
            "The time for which a session does not notify again that it stopped, or is idle"),
        Setting(
            "notificationRetention", \.notificationRetention, .retention(),
            "The time for which notifications are kept"),
        Setting(
            "eventRetention", \.eventRetention, .retention(),
            "The time for which events are kept, and sessions after their last event"),
        .bundleID(\.bundleID),
    ]

    package static let formerKeys = ["sessionRetention", "deviceRetention"]

    /// Reads the settings; `nil` if the system is off.
    package init?(_ settings: SettingsReader) throws(ConfigurationError) {
        guard try settings.isEnabled() else { return nil }
        self.init()
        try apply(settings)
    }
}

extension SettingForm where Value == APIKeys {
    /// The master key, which is required.
    fileprivate static func masterKey() -> SettingForm<APIKeys> {
        SettingForm<APIKeys>("text of \(SettingsReader.shortestKey) characters or more") { _ in
            "required"
        } read: { settings, key throws(ConfigurationError) in
            guard let text = settings.string(key), text.utf8.count >= SettingsReader.shortestKey else {
                throw settings.problem(
                    key,
                    "must have \(SettingsReader.shortestKey) or more characters; `openssl rand -hex 24` makes a key")
            }
            return APIKeys([text])
        }
    }

    /// Keys of the form that clients check.
    fileprivate static func scopedKeys() -> SettingForm<APIKeys> {
        keys(of: "a key like `echo claud_$(openssl rand -hex 16)` makes") { SessionsSettings.isKey($0) }
    }
}

extension SettingForm where Value == Duration {
    /// A retention time. Its minimum is an hour, because expired data is deleted hourly.
    fileprivate static func retention() -> SettingForm<Duration> {
        duration { value, _ in value < .seconds(60 * 60) ? "must be an hour or more" : nil }
    }
}
