public import DocumentStore

/// One message to many registrations.
public struct Multicast: Sendable {
    public var message: Message
    public var targets: [Target]
    /// How long delivery is tried before the notification is given up; nil for as long as the outbox does by default.
    public var lifetime: Duration?
    /// The system that sends, for logs and metrics: `codeagents`.
    public var source: String
    /// How the targets' registration documents call what a delivery may change.
    public var registrationFields: RegistrationFields
    /// The number of the project that sends, when the message came through FCM's API: FCM's library in the app is then
    /// told the message's ids. Nil for any other.
    public var senderID: String?
    /// The topic or condition by which the targets are found, when it is sent to one.
    public var condition: Condition?

    public init(
        message: Message, targets: [Target], lifetime: Duration? = nil, source: String,
        registrationFields: RegistrationFields, senderID: String? = nil
    ) {
        self.message = message
        self.targets = targets
        self.lifetime = lifetime
        self.source = source
        self.registrationFields = registrationFields
        self.senderID = senderID
    }
}

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

/// One recipient: an address, and the document to remove when the address turns out dead.
public struct Target: Hashable, Sendable {
    public let address: Address
    public let registration: DocumentPath?

    public init(address: Address, registration: DocumentPath?) {
        self.address = address
        self.registration = registration
    }
}
