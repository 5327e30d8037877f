/// The names of fields of a registration document.
public struct RegistrationFields: Hashable, Sendable {
    /// Holds the token. A registration is changed only while it still holds the token that was sent to.
    public var token: String
    /// Holds the APNs environment; nil where none is kept.
    public var environment: String?

    public init(token: String, environment: String? = nil) {
        self.token = token
        self.environment = environment
    }
}
