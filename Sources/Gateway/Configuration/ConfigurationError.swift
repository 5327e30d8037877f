/// A setting that cannot be used, in words for whoever set it.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key, as docs/configuration.md lists it.
    public let key: String
    /// What is wrong with it, and what to do.
    public let problem: String

    public init(key: String, problem: String) {
        self.key = key
        self.problem = problem
    }

    public var description: String { "\(key): \(problem)" }
}
