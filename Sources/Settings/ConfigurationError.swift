/// A setting that cannot be used, described for the operator who set it.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key, as docs/configuration.md lists it.
    package let key: String
    /// The mistake, and how to correct it.
    package let problem: String

    package init(key: String, problem: String) {
        self.key = key
        self.problem = problem
    }

    /// The key and the problem, as one line.
    package var description: String { "\(key): \(problem)" }
}
