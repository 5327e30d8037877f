/// The reason that a gateway cannot start or go on: a text for its operator that says what failed, why, and what to
/// do.
package struct GatewayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text for the operator.
    package let description: String
    /// The system call's error, if one caused the failure.
    var cause: SystemError?

    /// Creates an error with a text for the operator.
    package init(_ description: String) { self.description = description }
}
