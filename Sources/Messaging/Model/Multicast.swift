public import DocumentStore

/// One message to many registrations.
public struct Multicast: Sendable {
    public var message: Message
    public var targets: [Target]
    /// How long delivery is tried before the notification is given up.
    public var lifetime: Duration
    /// The system that sends, for logs and metrics: `codeagents`.
    public var source: String
    /// The field of a target's registration document that holds its token.
    public var tokenField: String

    public init(message: Message, targets: [Target], lifetime: Duration, source: String, tokenField: String) {
        self.message = message
        self.targets = targets
        self.lifetime = lifetime
        self.source = source
        self.tokenField = tokenField
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
