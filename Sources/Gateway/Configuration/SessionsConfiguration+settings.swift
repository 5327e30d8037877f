internal import Functions

extension SessionsConfiguration {
    static let keys = SystemKeys(
        "sessions",
        [
            "bundleId", "coolDown", "deviceRetention", "eventRetention", "masterKey", "notificationRetention",
            "sessionRetention",
        ], lists: ["readKeys", "writeKeys"])

    /// nil when it is not switched on.
    init?(_ settings: Settings) throws(ConfigurationError) {
        guard try Self.keys.areOn(settings) else { return nil }
        let prefix = Self.keys.prefix
        guard let key = settings.string(prefix + "masterKey"), key.utf8.count >= Settings.shortestKey else {
            throw ConfigurationError(
                key: prefix + "masterKey",
                problem: "must have \(Settings.shortestKey) characters or more, of `openssl rand -hex 24` say")
        }
        self.init(masterKey: key)
        readKeys = try settings.scopedKeys(prefix + "readKeys")
        writeKeys = try settings.scopedKeys(prefix + "writeKeys")
        coolDown = try settings.duration(prefix + "coolDown") ?? coolDown
        notificationRetention = try settings.retention(prefix + "notificationRetention") ?? notificationRetention
        eventRetention = try settings.retention(prefix + "eventRetention") ?? eventRetention
        sessionRetention = try settings.retention(prefix + "sessionRetention") ?? sessionRetention
        deviceRetention = try settings.retention(prefix + "deviceRetention") ?? deviceRetention
        bundleID = settings.string(prefix + "bundleId")
    }
}

extension Settings {
    /// What is older is deleted hourly: less than an hour could not be kept to.
    fileprivate func retention(_ key: String) throws(ConfigurationError) -> Duration? {
        guard let retention = try duration(key) else { return nil }
        guard retention >= .seconds(60 * 60) else {
            throw ConfigurationError(key: key, problem: "must be an hour or more")
        }
        return retention
    }

    /// Keys as clients know them by their form.
    fileprivate func scopedKeys(_ key: String) throws(ConfigurationError) -> APIKeys {
        let keys = try list(key, of: "a key like `echo claud_$(openssl rand -hex 16)` makes", isSecret: true) { text in
            SessionsConfiguration.isKey(text) ? text : nil
        }
        return APIKeys(keys)
    }
}
