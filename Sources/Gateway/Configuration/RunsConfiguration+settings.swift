internal import Functions
internal import Messaging

extension RunsConfiguration {
    static let keys = SystemKeys("runs", ["bundleId", "environment"], lists: ["apiKeys", "reminders"])

    /// nil when it is not switched on.
    init?(_ settings: Settings) throws(ConfigurationError) {
        guard try Self.keys.areOn(settings) else { return nil }
        let prefix = Self.keys.prefix
        self.init()
        apiKeys = try settings.apiKeys(prefix + "apiKeys")
        if apiKeys.isEmpty {
            throw ConfigurationError(
                key: prefix + "apiKeys",
                problem: "is missing; servers and phones need one, of `openssl rand -hex 24` say")
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
