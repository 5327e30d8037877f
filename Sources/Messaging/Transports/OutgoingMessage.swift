import DocumentStore

/// A message on its way to a transport.
package struct OutgoingMessage: Sendable {
    /// The content.
    package let message: Message
    /// The transport, app and environment.
    package let lane: Lane
    /// The time at which a push service stops trying.
    package let expiration: Expiration
    /// The time of acceptance by the gateway, in seconds since 1970; `nil` for the present.
    package let acceptedAt: Int64?
    /// The message's id, the same for all attempts and after restarts; `nil` for a message that was never accepted.
    package let id: String?
    /// The ids for FCM's library in the app; `nil` if the message did not come through FCM's API.
    package let identity: FCMIdentity?
    /// The condition that selected the targets, such as `'news' in topics`; `nil` for a message to tokens.
    package let condition: String?
    /// The address for receipts of the message, for the notifications of apps that report what arrives; `nil` if no
    /// target asks for it.
    package var receiptAddress: String?

    /// The time at which a push service stops trying to reach an offline device, in seconds since 1970.
    package typealias Expiration = Int64

    package init(
        message: Message, lane: Lane, expiration: Expiration, acceptedAt: Int64? = nil,
        id: String? = nil,
        identity: FCMIdentity? = nil, condition: String? = nil
    ) {
        self.message = message
        self.lane = lane
        self.expiration = expiration
        self.acceptedAt = acceptedAt
        self.id = id
        self.identity = identity
        self.condition = condition
    }
}

/// One notification of a message: its id, which is the same for all attempts, and its target.
package struct OutgoingNotification: Sendable {
    /// The id of the notification.
    package let id: NotificationID
    /// The device to send to.
    package let target: Target

    package init(id: NotificationID, target: Target) {
        self.id = id
        self.target = target
    }

    /// The document id of the registration. For registrations of FCM it is the Firebase installation id.
    package var installationID: String? { target.registration?.id }
    /// `true` if the app reports what arrives.
    package var asksForReceipt: Bool { target.address.asksForReceipts }
}
