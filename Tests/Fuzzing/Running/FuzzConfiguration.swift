/// How long a gateway is fuzzed, and what is a finding.
public struct FuzzConfiguration: Sendable {
    public var seed: UInt64
    /// Ends the run, once so many requests were made.
    public var requests: Int
    /// Ends the run, once it has taken so long; `nil` for no bound.
    public var time: Duration?
    /// What else must be said to repeat a finding, for reading.
    public var label = ""
    /// The one case to play, to repeat a finding.
    public var only: Int?
    /// How many connections there are at once.
    public var lanes = 16
    /// How long an answer, or the end of a connection, is waited for.
    public var patience = Duration.seconds(15)
    /// How much the gateway's memory may grow, in bytes.
    public var memoryGrowth = 1 << 30
    /// How many descriptors more than at the start the gateway may have at the end.
    public var moreDescriptors = 20
    /// Ends the run, once there are so many different findings.
    public var maximumFindings = 20
    /// How long the world stays as it is, before new tasks and tokens take the place of those that are used up.
    public var worldInterval = Duration.seconds(2)

    public init(seed: UInt64, requests: Int = .max) {
        self.seed = seed
        self.requests = requests
    }
}

/// What is seen of the gateway from outside.
public struct GatewayWatch: Sendable {
    /// `nil` where it cannot be told.
    public var vitals: @Sendable () -> Vitals? = { nil }
    /// The lines of its log that tell of an error.
    public var errorLines: @Sendable () -> [String] = { [] }

    public init() {}
}

/// What a process holds.
public struct Vitals: Sendable, CustomStringConvertible {
    public let residentBytes: Int
    public let descriptors: Int

    public init(residentBytes: Int, descriptors: Int) {
        self.residentBytes = residentBytes
        self.descriptors = descriptors
    }

    public var description: String { "\(residentBytes >> 20) MiB, \(descriptors) descriptors" }
}
