internal import Functions
internal import Messaging

/// The systems that are off unless they are switched on, each by `functions.<system>.enabled`.
extension RunsConfiguration {
    /// nil when it is not switched on.
    init?(_ settings: Settings) throws(ConfigurationError) {
        let prefix = "functions.runs."
        guard try settings.boolean(prefix + "enabled") == true else { return nil }
        self.init()
        apiKeys = try settings.list(prefix + "apiKeys", of: "a key of 16 characters or more", isSecret: true) { text in
            text.utf8.count >= 16 ? text : nil
        }
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
