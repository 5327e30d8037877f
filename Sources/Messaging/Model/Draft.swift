/// A message as it is given to the ``Outbox``, for targets, or to the ``Broadcaster``, for all who match a condition.
public struct Draft: Sendable {
    public var message: Message
    /// How long delivery is tried before the notification is given up; nil for as long as the outbox does by default.
    public var lifetime: Duration?
    /// The system that sends, for logs and metrics: `codeagents`.
    public var source: String
    /// Whose share of the settled messages it counts towards, `codeagents/3613910d07e292da`: of what one owner sends, only
    /// so many bytes are kept once delivered.
    public var owner: String
    /// How the targets' registration documents call what a delivery may change.
    public var registrationFields: RegistrationFields
    /// The number of the project that sends, when the message came through FCM's API: FCM's library in the app is then
    /// told the message's ids. Nil for any other.
    public var senderID: String?

    /// - Parameter owner: the one within the system, or `nil` if all that the system sends has one owner.
    public init(
        message: Message, lifetime: Duration? = nil, source: String, owner: String? = nil,
        registrationFields: RegistrationFields, senderID: String? = nil
    ) {
        self.message = message
        self.lifetime = lifetime
        self.source = source
        self.owner = owner.map { "\(source)/\($0)" } ?? source
        self.registrationFields = registrationFields
        self.senderID = senderID
    }
}
