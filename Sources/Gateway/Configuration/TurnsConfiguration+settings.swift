internal import Functions
internal import Messaging

extension TurnsConfiguration {
    static let keys = SystemKeys(
        "turns",
        ["bundleId", "environment", "interval", "label", "newPlayersPerHourPerAddress", "requestsAtOnce", "site"],
        lists: ["apiKeys"])

    /// nil when it is not switched on.
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
