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
    /// In the order in which the message was given its targets, by lane.
    public let notifications: [NotificationRecord]

    /// How many notifications are in each state; of those rejected, how many for each code.
    public var accepted: Int { notifications.count { $0.state == .accepted } }
    public var pending: Int { notifications.count { if case .pending = $0.state { true } else { false } } }
    public var rejected: [MessagingErrorCode: Int] {
        notifications.reduce(into: [:]) { counts, notification in
            if case .rejected(let code, _) = notification.state { counts[code, default: 0] += 1 }
        }
    }
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
