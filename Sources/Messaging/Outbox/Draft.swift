package import DocumentStore

/// A message before it is accepted: for given targets by the ``Outbox``, or for an audience by the ``Broadcaster``.
package struct Draft: Sendable {
    /// The content of the notifications.
    package var message: Message
    /// The time after which delivery is given up; `nil` for the outbox's default.
    package var lifetime: Duration?
    /// The time at which delivery is given up, if the lifetime does not count from the acceptance.
    package var expiresAt: Timestamp?
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
    /// `true` if the message, while it waits, follows the addresses of its targets' registrations, as far as they stay
    /// with the same push service, app and environment.
    package var followsRegistrations = false
    /// Makes further writes of the commit that accepts the message, if there are any that have to know its id.
    package var companion: Companion?
    /// The mark of the recipients and the content, if they come from a ``DocumentCache`` that gives one. If they have
    /// changed, nothing is accepted, and the delivery's progress throws ``StoreError/outdated``. A message to a
    /// condition has none, as nothing is read for it before.
    package var mark: DocumentCache.Mark?

    /// Returns writes for the commit of an acceptance.
    package typealias Companion = @Sendable (MessageAcceptance) throws(StoreError) -> [Write]

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

/// An acceptance, as the writes of its commit may name it.
package struct MessageAcceptance: Hashable, Sendable {
    /// The message's id; `nil` if it has no targets, and so is not stored.
    package let messageID: String?
    /// The number of registrations that were left out, as far as they were read.
    package let excluded: Int

    package init(messageID: String?, excluded: Int = 0) {
        self.messageID = messageID
        self.excluded = excluded
    }
}

extension Draft {
    /// Returns the writes of the commit that accepts the message.
    ///
    /// - Parameter others: those that need not know the message's id.
    func writes(_ acceptance: MessageAcceptance, and others: [Write]) throws(StoreError) -> [Write] {
        guard let companion else { return others }
        return others + (try companion(acceptance))
    }
}
