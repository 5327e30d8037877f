/// An error at the start of a service for tests.
package enum SimulatorSetupError: Error, Hashable, Sendable {
    /// A file or folder could not be created or read.
    case files(operation: String, path: String, cause: String)
    /// A key or a certificate could not be created.
    case credentials(cause: String)

    /// Returns the closure's value, and throws its error as one of credentials.
    ///
    /// - Parameter path: The file that the closure reads; `nil` if it reads none.
    package static func attempt<Value>(
        reading path: String? = nil, _ make: () throws -> Value
    ) throws(SimulatorSetupError) -> Value {
        do { return try make() } catch { throw .credentials(cause: (path.map { $0 + ": " } ?? "") + "\(error)") }
    }
}
