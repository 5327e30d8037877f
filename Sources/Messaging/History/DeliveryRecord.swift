public import DocumentStore

/// A message that was accepted, and how far its delivery has come, as the outbox has it on disk.
public struct DeliveryRecord: Sendable {
    /// The message's id.
    public let id: String
    /// The system that sent it: `codeagents`.
    public let source: String
    public let message: Message
    public let acceptedAt: Timestamp
    /// When what is pending is given up.
    public let expiresAt: Timestamp

    /// How many notifications there are so far, and how many of them are in each state; of those rejected, how many for each
    /// code.
    public internal(set) var targets = 0
    public internal(set) var accepted = 0
    public internal(set) var pending = 0
    public internal(set) var rejected: [MessagingErrorCode: Int] = [:]

    /// A page of them, in the order in which the message was given its targets, by lane; empty in a list.
    public internal(set) var notifications: [NotificationRecord] = []
    /// The page after that; nil when there is none.
    public internal(set) var nextPage: Int?
}

/// What became of one notification.
public struct NotificationRecord: Sendable {
    public enum State: Hashable, Sendable {
        /// To be sent at a time.
        case pending(dueAt: Timestamp)
        /// Taken by the push service.
        case accepted
        case rejected(MessagingErrorCode, reason: String)
    }

    /// An attempt that came to nothing.
    public struct Failure: Hashable, Sendable {
        public let at: Timestamp
        public let code: MessagingErrorCode
        public let reason: String
    }

    /// Its `apns-id`.
    public let id: NotificationID
    /// The subscription it went to; nil for a bare token.
    public let registration: DocumentPath?
    public let lane: Lane
    public let state: State
    /// When it was accepted or rejected.
    public let settledAt: Timestamp?
    /// The last ten of the attempts that failed.
    public let failures: [Failure]
}
