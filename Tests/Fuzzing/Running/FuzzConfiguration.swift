/// The extent of a run, and the bounds beyond which something is a finding.
public struct FuzzConfiguration: Sendable {
    public var seed: UInt64
    /// Ends the run, once so many requests were made.
    public var requests: Int
    /// Ends the run, once it has taken so long; `nil` for no bound.
    public var time: Duration?
    /// The further arguments needed to repeat a finding, for people.
    public var label = ""
    /// The one case to play, to repeat a finding.
    public var only: Int?
    /// The number of simultaneous connections.
    public var lanes = 16
    /// The longest wait for an answer, or for the end of a connection.
    public var patience = Duration.seconds(15)
    /// The most that the gateway's memory may grow, in bytes.
    public var memoryGrowth = 1 << 30
    /// The most descriptors that the gateway may have at the end beyond those at the start.
    public var moreDescriptors = 20
    /// Ends the run, once there are so many different findings.
    public var maximumFindings = 20
    /// The interval at which new tasks and tokens replace those that are used up.
    public var worldInterval = Duration.seconds(2)

    public init(seed: UInt64, requests: Int = .max) {
        self.seed = seed
        self.requests = requests
    }
}

/// An observer of the gateway from outside.
public struct GatewayWatch: Sendable {
    /// `nil` where it cannot be told.
    public var vitals: @Sendable () -> Vitals? = { nil }
    /// The lines of its log that tell of an error.
    public var errorLines: @Sendable () -> [String] = { [] }

    public init() {}
}

/// The resources of a process.
public struct Vitals: Sendable, CustomStringConvertible {
    public let residentBytes: Int
    public let descriptors: Int

    public init(residentBytes: Int, descriptors: Int) {
        self.residentBytes = residentBytes
        self.descriptors = descriptors
    }

    public var description: String { "\(residentBytes >> 20) MiB, \(descriptors) descriptors" }
}
