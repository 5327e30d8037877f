/// How the CodeAgents functions are set; docs/configuration.md has each key.
public struct CodeAgentsConfiguration: Hashable, Sendable {
    /// The shortest secret taken, in characters.
    public var minimumSecretLength = 32
    /// The longest wait of a trigger's answer for the first attempt at each phone. The oldest daemons hang up after 2.5
    /// s.
    public var triggerWait = Duration.seconds(2)
    /// Rate limits; 0 lifts one.
    public var requestsPerMinutePerSecret = 60
    public var requestsPerMinutePerAddress = 120
    public var newServersPerHourPerAddress = 10
    /// The most agents one server may have, and the most devices one agent; 0 lifts one.
    public var maximumAgentsPerServer = 1_000
    public var maximumDevicesPerAgent = 10_000

    public init() {}
}
