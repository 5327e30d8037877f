/// The extent of a run, and the limits above which a value is a finding.
package struct FuzzConfiguration: Sendable {
    /// The seed from which all requests are made.
    package var seed: UInt64
    /// The number of requests after which the run ends.
    package var requests: Int
    /// The time after which the run ends; `nil` for no limit.
    package var time: Duration?
    /// The further arguments to repeat a finding, for reports.
    package var label = ""
    /// The only case to play, to repeat a finding.
    package var only: Int?
    /// The number of concurrent connections.
    package var lanes = 16
    /// The longest wait for an answer, or for the end of a connection.
    package var patience = Duration.seconds(15)
    /// The largest allowed growth of the gateway's memory, in bytes.
    package var memoryGrowth = 1 << 30
    /// The largest allowed growth of the gateway's open descriptors from start to end.
    package var moreDescriptors = 20
    /// The number of different findings after which the run ends.
    package var maximumFindings = 20
    /// The interval at which new tasks and tokens replace the used ones.
    package var worldInterval = Duration.seconds(2)

    package init(seed: UInt64, requests: Int = .max) {
        self.seed = seed
        self.requests = requests
    }
}

/// An observer of the gateway from outside.
package struct GatewayWatch: Sendable {
    /// Returns the gateway's resources; `nil` if they are unknown.
    package var vitals: @Sendable () -> Vitals? = { nil }
    /// Returns the error lines of the gateway's log.
    package var errorLines: @Sendable () -> [String] = { [] }
    /// Returns the lines of the gateway's log in which a client's text is not escaped or cut.
    package var forgedLines: @Sendable () -> [String] = { [] }

    package init() {}
}

/// The resources of a process.
package struct Vitals: Sendable, CustomStringConvertible {
    /// The resident memory in bytes.
    package let residentBytes: Int
    /// The number of open descriptors.
    package let descriptors: Int

    package init(residentBytes: Int, descriptors: Int) {
        self.residentBytes = residentBytes
        self.descriptors = descriptors
    }

    package var description: String { "\(residentBytes >> 20) MiB, \(descriptors) descriptors" }
}
