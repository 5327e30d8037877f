package import Settings

extension CodeAgents {
    /// The keys of the settings.
    package static let keys = SettingKeys(below: "functions.codeagents.", CodeAgentsSettings.self)
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
    /// The maximum number of updates of progress per minute with one secret; 0 removes the limit.
    package var updatesPerMinutePerSecret = 600
    /// The maximum number of updates of progress per minute from one address; 0 removes the limit.
    package var updatesPerMinutePerAddress = 1_200
    /// The servers that may use the functions without a decision of the operator.
    package var servers = AdmittedServers.open
    /// The maximum number of agents per server; 0 removes the limit.
    package var maximumAgentsPerServer = 1_000
    /// The maximum number of devices per agent; 0 removes the limit.
    package var maximumDevicesPerAgent = 10_000

    /// `true` if browsers can be paired by a code, at the page `/try`.
    package var pairing = true

    /// The default settings.
    package init() {}
}

extension CodeAgentsSettings {
    package var browserPage: String? { pairing ? TryPage.path : nil }
}

extension CodeAgentsSettings: DeclaredSettings {
    static let serversKey = "servers"

    /// The settings, each declared once.
    package static let settings: [Setting<CodeAgentsSettings>] = [
        Setting(
            "minimumSecretLength", \.minimumSecretLength, .integer(1...256),
            "The shortest accepted secret, in characters"),
        Setting(
            "triggerWait", \.triggerWait, .duration(),
            "The longest wait of a trigger's answer for the first attempt at each device"),
        Setting(
            "requestsPerMinutePerSecret", \.requestsPerMinutePerSecret, .count(),
            "The number of requests with one secret; 0 for no limit"),
        Setting(
            "requestsPerMinutePerAddress", \.requestsPerMinutePerAddress, .count(),
            "The number of requests from one address; 0 for no limit"),
        Setting(
            "newServersPerHourPerAddress", \.newServersPerHourPerAddress, .count(),
            "The number of new secrets that one address may register with; 0 for no limit"),
        Setting(
            "updatesPerMinutePerSecret", \.updatesPerMinutePerSecret, .count(),
            "The number of updates of progress with one secret; 0 for no limit"),
        Setting(
            "updatesPerMinutePerAddress", \.updatesPerMinutePerAddress, .count(),
            "The number of updates of progress from one address; 0 for no limit"),
        Setting(serversKey, \.servers, .choice(), "The servers that may register devices and report replies"),
        Setting(
            "maximumAgentsPerServer", \.maximumAgentsPerServer, .count(),
            "The number of folders that one secret may have devices for; 0 for no limit"),
        Setting(
            "maximumDevicesPerAgent", \.maximumDevicesPerAgent, .count(),
            "The number of devices of one folder; 0 for no limit"),
        Setting("pairing", \.pairing, .boolean(), "Lets browsers subscribe at the page `\(TryPage.path)`, by a code"),
    ]

    /// Reads the settings. The functions cannot be switched off.
    package init(_ settings: SettingsReader) throws(ConfigurationError) {
        self.init()
        try apply(settings)
    }
}
