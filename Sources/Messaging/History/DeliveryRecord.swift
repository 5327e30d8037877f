public import DocumentStore

/// An accepted message with the state of its delivery, as the outbox has stored it.
public struct DeliveryRecord: Sendable {
    /// The message's id.
    public let id: String
    /// The system that sent it, such as `codeagents`.
    public let source: String
    /// The content.
    public let message: Message
    /// The time of acceptance.
    public let acceptedAt: Timestamp
    /// The time at which pending notifications are given up.
    public let expiresAt: Timestamp

    /// The number of notifications so far.
    public internal(set) var targets = 0
    /// The number of notifications that the push services accepted.
    public internal(set) var accepted = 0
    /// The number of notifications that are not settled yet.
    public internal(set) var pending = 0
    /// The number of rejected notifications by error code.
    public internal(set) var rejected: [MessagingErrorCode: Int] = [:]

    /// A page of the notifications, in the order of the message's targets within each lane; empty in a list of
    /// messages.
    public internal(set) var notifications: [NotificationRecord] = []
    /// The number of the next page; `nil` if there is none.
    public internal(set) var nextPage: Int?
}

/// The state of one notification.
public struct NotificationRecord: Sendable {
    /// The state of a notification.
    public enum State: Hashable, Sendable {
        /// It will be sent at a time.
        case pending(dueAt: Timestamp)
        /// The push service accepted it.
        case accepted
        /// The push service rejected it.
        case rejected(MessagingErrorCode, reason: String)
    }

    /// A failed attempt.
    public struct Failure: Hashable, Sendable {
        /// The time of the attempt.
        public let at: Timestamp
        /// The error in the words of the Admin SDKs.
        public let code: MessagingErrorCode
        /// The push service's own word.
        public let reason: String
    }

    /// The `apns-id` of the notification.
    public let id: NotificationID
    /// The registration that it was sent to; `nil` for a bare token.
    public let registration: DocumentPath?
    /// The transport, app and environment.
    public let lane: Lane
    /// The state.
    public let state: State
    /// The time of acceptance or rejection.
    public let settledAt: Timestamp?
    /// The last ten failed attempts.
    public let failures: [Failure]
}
