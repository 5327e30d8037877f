/// A message before it is accepted: for given targets by the ``Outbox``, or for an audience by the ``Broadcaster``.
package struct Draft: Sendable {
    /// The content of the notifications.
    package var message: Message
    /// The time after which delivery is given up; `nil` for the outbox's default.
    package var lifetime: Duration?
    /// The system that sends, for logs and metrics, such as `codeagents`.
    package var source: String
    /// The owner whose share of the settled messages this one counts towards, such as `codeagents/3613910d07e292da`.
    /// The outbox keeps a limited number of bytes of settled messages for each owner.
    package var owner: String
    /// The field names in the targets' registration documents that a delivery may change.
    package var registrationFields: RegistrationFields
    /// The number of the project that sends, if the message came through FCM's API: FCM's library in the app then
    /// receives the message's ids. `nil` for any other message.
    package var senderID: String?
    /// The values of `apns-collapse-id` of the owner's alerts that the message takes back, as far as they wait for the
    /// same devices. They are superseded as if the message had their id.
    package var withdrawnIDs: [String] = []
    /// The counter whose number replaces the message's badge at each attempt, if the message has one.
    package var badge: BadgeCounter?

    /// Creates a draft.
    ///
    /// - Parameter owner: the owner within the system, or `nil` if all messages of the system have one owner.
    package init(
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
