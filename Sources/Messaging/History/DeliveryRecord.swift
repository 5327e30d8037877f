package import DocumentStore

/// An accepted message with the state of its delivery, as the outbox has stored it.
package struct DeliveryRecord: Sendable {
    /// The message's id.
    package let id: String
    /// The system that sent it, such as `codeagents`.
    package let source: String
    /// The content.
    package let message: Message
    /// The time of acceptance.
    package let acceptedAt: Timestamp
    /// The time at which pending notifications are given up.
    package let expiresAt: Timestamp

    /// `true` while the recipients of a message to a topic or a condition are still being read: more notifications may
    /// follow.
    package internal(set) var isExpanding = false
    /// The number of documents with notifications.
    var chunkCount = 0
    /// The number of notifications so far.
    package internal(set) var targets = 0
    /// The number of notifications that the push services accepted.
    package internal(set) var accepted = 0
    /// The number of notifications that are not settled yet.
    package internal(set) var pending = 0
    /// The number of notifications that a newer message replaced before a push service accepted them.
    package internal(set) var superseded = 0
    /// The number of rejected notifications by error code.
    package internal(set) var rejected: [MessagingErrorCode: Int] = [:]

    /// The numbers of devices that have reported it; `nil` if none has.
    package internal(set) var receipts: ReceiptCounts?

    /// The first notification; `nil` as long as there is none.
    package internal(set) var first: NotificationRecord?
    /// A page of the notifications, in the order of the message's targets within each lane; empty in a list of
    /// messages.
    package internal(set) var notifications: [NotificationRecord] = []
    /// The number of the next page; `nil` if there is none.
    package internal(set) var nextPage: Int?
}

extension DeliveryProgress {
    /// The progress of a message as it is stored, without registrations that were removed for it.
    ///
    /// - Parameter excluded: the number of registrations that were left out.
    package init(of record: DeliveryRecord, excluded: Int) {
        self.init(excluded: excluded)
        attempted = record.targets
        sent = record.accepted
        superseded = record.superseded
        rejections = record.rejected
    }
}

/// A page of messages, in the order of the search.
package struct DeliveryPage: Sendable {
    /// The messages, with counts and without notifications.
    package internal(set) var records: [DeliveryRecord] = []
    /// The time of acceptance beyond which there may be more messages; `nil` if there are none.
    package internal(set) var next: Timestamp?
}

/// The state of one notification.
package struct NotificationRecord: Sendable {
    /// The state of a notification.
    package enum State: Hashable, Sendable {
        /// It will be sent at a time.
        case pending(dueAt: Timestamp)
        /// The push service accepted it.
        case accepted
        /// The push service rejected it.
        case rejected(MessagingErrorCode, reason: String)
        /// A newer message replaced it before a push service accepted it.
        case superseded
    }

    /// A failed attempt.
    package struct Failure: Hashable, Sendable {
        /// The time of the attempt.
        package let at: Timestamp
        /// The error in the words of the Admin SDKs.
        package let code: MessagingErrorCode
        /// The push service's own word.
        package let reason: String
    }

    /// The `apns-id` of the notification.
    package let id: NotificationID
    /// The registration that it was sent to; `nil` for a bare token.
    package let registration: DocumentPath?
    /// The transport, app and environment.
    package let lane: Lane
    /// The state.
    package let state: State
    /// The time of acceptance or rejection, or the time at which it was superseded.
    package let settledAt: Timestamp?
    /// The last ten failed attempts.
    package let failures: [Failure]
}
