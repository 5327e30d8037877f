package import Settings

extension CodeAgents {
    /// The keys of the settings. ``CodeAgentsSettings`` has their meanings and defaults.
    package static let keys = SettingKeys(
        below: "functions.codeagents.",
        [
            "maximumAgentsPerServer", "maximumDevicesPerAgent", "minimumSecretLength", "newServersPerHourPerAddress",
            "requestsPerMinutePerAddress", "requestsPerMinutePerSecret", "servers", "triggerWait",
        ])
}

/// The settings of the CodeAgents functions. docs/configuration.md describes each key.
package struct CodeAgentsSettings: ModuleSettings {
    /// The minimum length of a secret, in characters.
    package var minimumSecretLength = 32
    /// The longest wait of a trigger's response for the first attempt at each device. The oldest daemons disconnect
    /// after 2.5 s.
    package var triggerWait = Duration.seconds(2)
    /// The maximum number of requests per minute with one secret; 0 removes the limit.
    package var requestsPerMinutePerSecret = 60
    /// The maximum number of requests per minute from one address; 0 removes the limit.
    package var requestsPerMinutePerAddress = 120
    /// The maximum number of new servers per hour from one address; 0 removes the limit.
    package var newServersPerHourPerAddress = 10
    /// The servers that may use the functions.
    package var servers = AdmittedServers.open
    /// The maximum number of agents per server; 0 removes the limit.
    package var maximumAgentsPerServer = 1_000
    /// The maximum number of devices per agent; 0 removes the limit.
    package var maximumDevicesPerAgent = 10_000

    /// The default settings.
    package init() {}
}

/// The servers that may register devices and report replies: `functions.codeagents.servers`.
package enum AdmittedServers: String, CaseIterable, Sendable {
    /// All servers but those that the operator has denied.
    case open
    /// Only servers that the operator has allowed.
    case listed
}

extension CodeAgentsSettings {
    /// Reads the settings. The functions cannot be switched off.
    package init(_ settings: SettingsReader) throws(ConfigurationError) {
        self.init()
        let counts = 0...1_000_000_000
        minimumSecretLength =
            try settings.integer("minimumSecretLength", in: 1...256) ?? minimumSecretLength
        triggerWait = try settings.duration("triggerWait") ?? triggerWait
        requestsPerMinutePerSecret =
            try settings.integer("requestsPerMinutePerSecret", in: counts) ?? requestsPerMinutePerSecret
        requestsPerMinutePerAddress =
            try settings.integer("requestsPerMinutePerAddress", in: counts) ?? requestsPerMinutePerAddress
        newServersPerHourPerAddress =
            try settings.integer("newServersPerHourPerAddress", in: counts) ?? newServersPerHourPerAddress
        servers = try settings.choice("servers") ?? servers
        maximumAgentsPerServer =
            try settings.integer("maximumAgentsPerServer", in: counts) ?? maximumAgentsPerServer
        maximumDevicesPerAgent =
            try settings.integer("maximumDevicesPerAgent", in: counts) ?? maximumDevicesPerAgent
    }
}
