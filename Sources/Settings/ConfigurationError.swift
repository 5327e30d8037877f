/// A setting that cannot be used, described for the operator who set it.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key, as docs/configuration.md lists it.
    public let key: String
    /// The mistake, and how to correct it.
    public let problem: String

    /// Creates an error about a key.
    public init(key: String, problem: String) {
        self.key = key
        self.problem = problem
    }

    /// The key and the problem, as one line.
    public var description: String { "\(key): \(problem)" }
}
