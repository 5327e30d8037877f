/// Why a gateway cannot start, in words for whoever starts it: what failed, why, and what to do.
public struct GatewayError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
    /// What the system said, when it was its failure.
    var cause: SystemError?

    public init(_ description: String) { self.description = description }
}
