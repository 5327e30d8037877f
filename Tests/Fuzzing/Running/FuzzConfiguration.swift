/// The extent of a run, and the limits above which a value is a finding.
public struct FuzzConfiguration: Sendable {
    /// The seed from which all requests are made.
    public var seed: UInt64
    /// The number of requests after which the run ends.
    public var requests: Int
    /// The time after which the run ends; `nil` for no limit.
    public var time: Duration?
    /// The further arguments to repeat a finding, for reports.
    public var label = ""
    /// The only case to play, to repeat a finding.
    public var only: Int?
    /// The number of concurrent connections.
    public var lanes = 16
    /// The longest wait for an answer, or for the end of a connection.
    public var patience = Duration.seconds(15)
    /// The largest allowed growth of the gateway's memory, in bytes.
    public var memoryGrowth = 1 << 30
    /// The largest allowed growth of the gateway's open descriptors from start to end.
    public var moreDescriptors = 20
    /// The number of different findings after which the run ends.
    public var maximumFindings = 20
    /// The interval at which new tasks and tokens replace the used ones.
    public var worldInterval = Duration.seconds(2)

    public init(seed: UInt64, requests: Int = .max) {
        self.seed = seed
        self.requests = requests
    }
}

/// An observer of the gateway from outside.
public struct GatewayWatch: Sendable {
    /// Returns the gateway's resources; `nil` if they are unknown.
    public var vitals: @Sendable () -> Vitals? = { nil }
    /// Returns the error lines of the gateway's log.
    public var errorLines: @Sendable () -> [String] = { [] }

    public init() {}
}

/// The resources of a process.
public struct Vitals: Sendable, CustomStringConvertible {
    /// The resident memory in bytes.
    public let residentBytes: Int
    /// The number of open descriptors.
    public let descriptors: Int

    public init(residentBytes: Int, descriptors: Int) {
        self.residentBytes = residentBytes
        self.descriptors = descriptors
    }

    public var description: String { "\(residentBytes >> 20) MiB, \(descriptors) descriptors" }
}
