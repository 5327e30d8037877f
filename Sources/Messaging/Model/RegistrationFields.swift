/// The names of fields of a registration document.
public struct RegistrationFields: Hashable, Sendable {
    /// Holds the token. A registration is changed only while it still holds the token that was sent to.
    public var token: String
    /// Holds the APNs environment; nil where none is kept.
    public var environment: String?
    /// Holds the time of the last sign of life of the token by the wall clock: its registration, or a push service's
    /// first yes. `nil` where none is kept; the document's update time stands in then.
    public var registeredAt: String?

    public init(token: String, environment: String? = nil, registeredAt: String? = nil) {
        self.token = token
        self.environment = environment
        self.registeredAt = registeredAt
    }
}
