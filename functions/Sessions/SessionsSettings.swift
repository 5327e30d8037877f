package import Settings

extension Sessions {
    /// The keys of the settings. ``SessionsSettings`` has their meanings and defaults.
    package static let keys = SettingKeys(
        below: "functions.sessions.",
        [
            "bundleId", "coolDown", "deviceRetention", "enabled", "eventRetention", "masterKey",
            "notificationRetention", "sessionRetention",
        ], lists: ["readKeys", "writeKeys"], secrets: ["masterKey", "readKeys", "writeKeys"])
}

/// The settings of coding sessions. docs/functions/sessions.md describes them.
package struct SessionsSettings: ModuleSettings {
    /// The key for all endpoints.
    package var masterKey: APIKeys
    /// The keys for endpoints that read. A key that is also a write key opens all of them.
    package var readKeys: APIKeys = []
    /// The keys for endpoints that write.
    package var writeKeys: APIKeys = []
    /// The time after a notification in which a session sends no other of the same type. Permission prompts are
    /// always sent.
    package var coolDown = Duration.seconds(30)
    /// The time that notifications are kept after their creation.
    package var notificationRetention = Duration.seconds(24 * 60 * 60)
    /// The time that events are kept after their arrival.
    package var eventRetention = Duration.seconds(7 * 24 * 60 * 60)
    /// The time that sessions are kept after their last event.
    package var sessionRetention = Duration.seconds(7 * 24 * 60 * 60)
    /// The time that reporting machines are kept after their last event.
    package var deviceRetention = Duration.seconds(30 * 24 * 60 * 60)
    /// The app's bundle id; `nil` for the first app in the gateway's configuration.
    package var bundleID: String?

    /// - Parameter masterKey: The key for all endpoints.
    package init(masterKey: String) { self.masterKey = [masterKey] }

    /// Returns `true` if the text has the form of a key other than the master key: `claud_` and 32 hexadecimal digits.
    package static func isKey(_ text: String) -> Bool { GeneratedKey.isWellFormed(text) }
}

extension SessionsSettings {
    /// Reads the settings; `nil` if the system is off.
    package init?(_ settings: SettingsReader) throws(ConfigurationError) {
        guard try settings.boolean("enabled") == true else { return nil }
        guard let key = settings.string("masterKey"), key.utf8.count >= SettingsReader.shortestKey else {
            throw settings.problem(
                "masterKey",
                "must have \(SettingsReader.shortestKey) or more characters; `openssl rand -hex 24` makes a key")
        }
        self.init(masterKey: key)
        readKeys = try settings.scopedKeys("readKeys")
        writeKeys = try settings.scopedKeys("writeKeys")
        coolDown = try settings.duration("coolDown") ?? coolDown
        notificationRetention = try settings.retention("notificationRetention") ?? notificationRetention
        eventRetention = try settings.retention("eventRetention") ?? eventRetention
        sessionRetention = try settings.retention("sessionRetention") ?? sessionRetention
        deviceRetention = try settings.retention("deviceRetention") ?? deviceRetention
        bundleID = settings.string("bundleId")
    }
}

extension SettingsReader {
    /// Reads a retention time. Its minimum is an hour, because expired data is deleted hourly.
    fileprivate func retention(_ key: String) throws(ConfigurationError) -> Duration? {
        guard let retention = try duration(key) else { return nil }
        guard retention >= .seconds(60 * 60) else {
            throw problem(key, "must be an hour or more")
        }
        return retention
    }

    /// Reads keys of the form that clients check.
    fileprivate func scopedKeys(_ key: String) throws(ConfigurationError) -> APIKeys {
        let keys = try list(key, of: "a key like `echo claud_$(openssl rand -hex 16)` makes", isSecret: true) { text in
            SessionsSettings.isKey(text) ? text : nil
        }
        return APIKeys(keys)
    }
}
