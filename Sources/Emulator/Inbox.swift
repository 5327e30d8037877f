package import DocumentStore
package import Messaging

/// The notifications that emulated devices have received, the newest last: bounded, and in memory only.
package final class Inbox: Sendable {
    /// One notification as a push service would receive it.
    package struct Item: Sendable {
        /// The number of the notification. Numbers increase by one and are never used again.
        package let sequence: Int
        /// The id of the notification.
        package let id: NotificationID
        /// The time of the delivery.
        package let receivedAt: Timestamp
        /// The device and its registration.
        package let target: Target
        /// The condition that selected the target, such as `'news' in topics`; `nil` for a message to a token.
        package let condition: String?
        let encoded: EncodedMessage
        /// The `apns-collapse-id` of the message: a phone shows the newest notification with it alone.
        package let collapseID: String?
        /// The address for receipts; `nil` if the registration does not ask for it.
        package let receiptAddress: String?

        /// The message, decoded at each access. A log of decoded messages would exceed its limit many times.
        package var message: Message { encoded.message }
    }

    /// A selection of notifications. A property that is `nil` matches everything.
    package struct Filter: Sendable {
        /// The document id of the registration, which is the installation id.
        package var registrationID: String?
        /// The `apns-collapse-id` of the message.
        package var collapseID: String?
        /// The fingerprint of the token.
        package var tokenFingerprint: String?
        /// The topic of the message, as its target or within its condition.
        package var topic: String?
        /// The number after which notifications match.
        package var afterSequence = 0

        /// Matches all notifications if no argument is given.
        package init(
            registrationID: String? = nil, collapseID: String? = nil, tokenFingerprint: String? = nil,
            topic: String? = nil, afterSequence: Int = 0
        ) {
            self.registrationID = registrationID
            self.collapseID = collapseID
            self.tokenFingerprint = tokenFingerprint
            self.topic = topic
            self.afterSequence = afterSequence
        }

        func matches(_ item: Item) -> Bool {
            item.sequence > afterSequence
                && Self.matches(registrationID, item.target.registration?.id)
                && Self.matches(collapseID, item.collapseID)
                && (tokenFingerprint == nil || item.target.address.token.fingerprint == tokenFingerprint)
                && (topic == nil || topic.map { item.condition?.contains("'\($0)'") ?? false } == true)
        }

        /// Compares byte by byte, as ids are compared.
        private static func matches(_ wanted: String?, _ id: String?) -> Bool {
            wanted.map { id?.hasSameBytes(as: $0) ?? false } ?? true
        }
    }

    private let log: EmulatorLog<Item>

    /// Creates an inbox.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of notifications; older ones are dropped.
    ///   - maximumBytes: the maximum memory of all notifications; older ones are dropped.
    package init(capacity: Int = 10_000, maximumBytes: Int = 64 << 20) {
        log = EmulatorLog(capacity: capacity, maximumBytes: maximumBytes)
    }

    /// Appends a notification.
    ///
    /// - Parameter encoded: the encoded message.
    func append(
        _ message: OutgoingMessage, _ encoded: EncodedMessage, _ notification: OutgoingNotification,
        at time: Timestamp
    ) {
        let collapseID = message.message.apns?.header("apns-collapse-id")
        let receiptAddress = notification.asksForReceipt ? message.receiptAddress : nil
        let texts = [
            notification.target.address.token.value, notification.target.registration?.description, message.condition,
            collapseID, receiptAddress,
        ]
        let bytes = texts.reduce(encoded.count + .logEntryOverhead) { $0 + ($1?.utf8.count ?? 0) }
        log.append(bytes: bytes) { sequence in
            Item(
                sequence: sequence, id: notification.id, receivedAt: time, target: notification.target,
                condition: message.condition, encoded: encoded, collapseID: collapseID,
                receiptAddress: receiptAddress)
        }
    }

    /// The number of the newest notification; 0 before the first.
    package var lastSequence: Int { log.lastSequence }

    /// Returns the matching notifications.
    package func items(matching filter: Filter = Filter()) -> [Item] { log.elements(where: filter.matches) }

    /// Returns the matching notifications as soon as there are `count`, or when the time limit has passed.
    package func items(
        matching filter: Filter, waitingFor count: Int, atMost bound: Duration, clock: any Clock<Duration>
    ) async -> [Item] {
        await log.elements(where: { filter.matches($0) }, waitingFor: count, atMost: bound, clock: clock)
    }

    /// Removes all notifications.
    package func reset() { log.reset() }
}
