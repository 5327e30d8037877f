internal import Configuration
internal import Foundation
internal import Functions
internal import Messaging

/// The keys of a system that is off unless `functions.<system>.enabled` is true.
struct SystemKeys: Sendable {
    /// The common prefix of the keys.
    let prefix: String
    let all: Set<String>
    /// The keys that take a list.
    let lists: Set<String>

    /// Creates the keys of a system.
    ///
    /// - Parameters:
    ///   - system: The system's name in the keys, after `functions.`.
    ///   - names: The last parts of the keys, besides `enabled`.
    ///   - lists: The last parts of the keys that take a list.
    init(_ system: String, _ names: Set<String>, lists: Set<String> = []) {
        let prefix = "functions.\(system)."
        self.prefix = prefix
        all = Set(names.union(["enabled"]).union(lists).map { prefix + $0 })
        self.lists = Set(lists.map { prefix + $0 })
    }

    func areOn(_ settings: Settings) throws(ConfigurationError) -> Bool {
        try settings.boolean(prefix + "enabled") == true
    }
}

/// The kinds of settings that several systems have.
extension Settings {
    /// The minimum number of characters of a key that a person chose.
    static let shortestKey = 16

    func apiKeys(_ key: String) throws(ConfigurationError) -> APIKeys {
        let keys = try list(key, of: "a key of \(Self.shortestKey) characters or more", isSecret: true) { text in
            text.utf8.count >= Self.shortestKey ? text : nil
        }
        return APIKeys(keys)
    }

    /// Reads a web address that paths can be appended to. Trailing slashes are removed.
    func webAddress(_ key: String) throws(ConfigurationError) -> String? {
        guard let text = string(key) else { return nil }
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), let host = url.host, !host.isEmpty,
            url.query == nil, url.fragment == nil, url.user == nil
        else {
            throw ConfigurationError(key: key, problem: "must be an address like https://example.com")
        }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }
}

extension CodeAgentsConfiguration {
    init(_ settings: Settings) throws(ConfigurationError) {
        self.init()
        let prefix = "functions.codeagents."
        let counts = 0...1_000_000_000
        minimumSecretLength =
            try settings.integer(prefix + "minimumSecretLength", in: 1...256) ?? minimumSecretLength
        triggerWait = try settings.duration(prefix + "triggerWait") ?? triggerWait
        requestsPerMinutePerSecret =
            try settings.integer(prefix + "requestsPerMinutePerSecret", in: counts) ?? requestsPerMinutePerSecret
        requestsPerMinutePerAddress =
            try settings.integer(prefix + "requestsPerMinutePerAddress", in: counts) ?? requestsPerMinutePerAddress
        newServersPerHourPerAddress =
            try settings.integer(prefix + "newServersPerHourPerAddress", in: counts) ?? newServersPerHourPerAddress
        maximumAgentsPerServer =
            try settings.integer(prefix + "maximumAgentsPerServer", in: counts) ?? maximumAgentsPerServer
        maximumDevicesPerAgent =
            try settings.integer(prefix + "maximumDevicesPerAgent", in: counts) ?? maximumDevicesPerAgent
    }
}

extension RunsConfiguration {
    static let keys = SystemKeys("runs", ["bundleId", "environment"], lists: ["apiKeys", "reminders"])

    /// Reads the settings; `nil` if the system is off.
    init?(_ settings: Settings) throws(ConfigurationError) {
        guard try Self.keys.areOn(settings) else { return nil }
        let prefix = Self.keys.prefix
        self.init()
        apiKeys = try settings.apiKeys(prefix + "apiKeys")
        if apiKeys.isEmpty {
            throw ConfigurationError(
                key: prefix + "apiKeys",
                problem: "is missing; servers and devices need one; `openssl rand -hex 24` makes a key")
        }
        let delays = try settings.list(prefix + "reminders", of: "a duration like 15m") {
            DurationText.duration(of: $0)
        }
        if !delays.isEmpty { reminders = delays }
        guard reminders.count <= 2, reminders == reminders.sorted(), reminders.allSatisfy({ $0 > .zero }) else {
            throw ConfigurationError(
                key: prefix + "reminders", problem: "must be one or two durations, each longer than the one before")
        }
        bundleID = settings.string(prefix + "bundleId")
        environment = try settings.choice(prefix + "environment")
    }
}

extension TurnsConfiguration {
    static let keys = SystemKeys(
        "turns",
        ["bundleId", "environment", "interval", "label", "newPlayersPerHourPerAddress", "requestsAtOnce", "site"],
        lists: ["apiKeys"])

    /// Reads the settings; `nil` if the system is off.
    init?(_ settings: Settings) throws(ConfigurationError) {
        guard try Self.keys.areOn(settings) else { return nil }
        let prefix = Self.keys.prefix
        self.init()
        apiKeys = try settings.apiKeys(prefix + "apiKeys")
        site = try settings.webAddress(prefix + "site") ?? site
        interval = try settings.duration(prefix + "interval") ?? interval
        guard interval >= .seconds(1) else {
            throw ConfigurationError(key: prefix + "interval", problem: "must be a second or more")
        }
        requestsAtOnce = try settings.integer(prefix + "requestsAtOnce", in: 1...1_000) ?? requestsAtOnce
        newPlayersPerHourPerAddress =
            try settings.integer(prefix + "newPlayersPerHourPerAddress", in: 0...1_000_000_000)
            ?? newPlayersPerHourPerAddress
        label = settings.string(prefix + "label").flatMap { $0 == "none" ? nil : $0 }
        bundleID = settings.string(prefix + "bundleId")
        environment = try settings.choice(prefix + "environment")
    }
}

extension SessionsConfiguration {
    static let keys = SystemKeys(
        "sessions",
        [
            "bundleId", "coolDown", "deviceRetention", "eventRetention", "masterKey", "notificationRetention",
            "sessionRetention",
        ], lists: ["readKeys", "writeKeys"])

    /// Reads the settings; `nil` if the system is off.
    init?(_ settings: Settings) throws(ConfigurationError) {
        guard try Self.keys.areOn(settings) else { return nil }
        let prefix = Self.keys.prefix
        guard let key = settings.string(prefix + "masterKey"), key.utf8.count >= Settings.shortestKey else {
            throw ConfigurationError(
                key: prefix + "masterKey",
                problem: "must have \(Settings.shortestKey) or more characters; `openssl rand -hex 24` makes a key")
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
    /// Reads a retention time. Its minimum is an hour, because expired data is deleted hourly.
    fileprivate func retention(_ key: String) throws(ConfigurationError) -> Duration? {
        guard let retention = try duration(key) else { return nil }
        guard retention >= .seconds(60 * 60) else {
            throw ConfigurationError(key: key, problem: "must be an hour or more")
        }
        return retention
    }

    /// Reads keys of the form that clients check.
    fileprivate func scopedKeys(_ key: String) throws(ConfigurationError) -> APIKeys {
        let keys = try list(key, of: "a key like `echo claud_$(openssl rand -hex 16)` makes", isSecret: true) { text in
            SessionsConfiguration.isKey(text) ? text : nil
        }
        return APIKeys(keys)
    }
}

/// The master key of coding sessions, for a program that uses it.
public enum SessionsMasterKey {
    /// The configuration key of the master key.
    public static let setting = "functions.sessions.masterKey"

    /// Reads the key from where a gateway would take it: the environment, then the file.
    ///
    /// - Parameters:
    ///   - environment: The environment variables of the process.
    ///   - file: The path of a YAML file, if there is one.
    /// - Returns: `nil` if neither has the key.
    /// - Throws: ``ConfigurationError`` if the file cannot be read.
    public static func read(environment: [String: String], file: String?) throws -> RedactedString? {
        let settings = Settings(
            try GatewayConfiguration.reader(flags: [:], environment: environment, file: file).reader)
        return settings.string(setting).map(RedactedString.init)
    }
}

extension HumanTasksConfiguration {
    static let keys = SystemKeys(
        "humantasks",
        [
            "bundleId", "environment", "lifetime", "maximumPhotoBytes", "maximumPhotos", "newDevicesPerHourPerAddress",
            "newTasksPerHourPerDevice", "publicUrl", "retention",
        ])

    /// Reads the settings; `nil` if the system is off.
    init?(_ settings: Settings) throws(ConfigurationError) {
        guard try Self.keys.areOn(settings) else { return nil }
        let prefix = Self.keys.prefix
        self.init()
        publicURL = try settings.webAddress(prefix + "publicUrl")
        lifetime = try settings.duration(prefix + "lifetime") ?? lifetime
        retention = try settings.duration(prefix + "retention") ?? retention
        maximumPhotoBytes =
            try settings.integer(prefix + "maximumPhotoBytes", in: 1_024...100 * 1_024 * 1_024) ?? maximumPhotoBytes
        maximumPhotos = try settings.integer(prefix + "maximumPhotos", in: 0...1_000) ?? maximumPhotos
        newDevicesPerHourPerAddress =
            try settings.integer(prefix + "newDevicesPerHourPerAddress", in: 0...1_000_000_000)
            ?? newDevicesPerHourPerAddress
        newTasksPerHourPerDevice =
            try settings.integer(prefix + "newTasksPerHourPerDevice", in: 0...1_000_000_000)
            ?? newTasksPerHourPerDevice
        bundleID = settings.string(prefix + "bundleId")
        environment = try settings.choice(prefix + "environment")
    }
}
