public import DocumentStore

/// What emulated devices have received, newest last; bounded, and gone with the process.
public final class Inbox: Sendable {
    /// One notification as it would have left for a push service.
    public struct Item: Sendable {
        /// Grows by one with each notification, and is never used again.
        public let sequence: Int
        public let id: NotificationID
        public let receivedAt: Timestamp
        public let target: Target
        /// The condition it was sent to, `'news' in topics`; nil for one that was sent to a token.
        public let condition: String?
        let encoded: EncodedMessage
        let collapseID: String?

        /// Decoded at each call: a log of decoded messages would take many times its bound.
        public var message: Message { encoded.message }
    }

    /// Which notifications to look at; what is nil matches everything.
    public struct Filter: Sendable {
        /// The document id of the registration: the installation's id.
        public var registrationID: String?
        /// The `apns-collapse-id` of the message.
        public var collapseID: String?
        /// The fingerprint of the token.
        public var tokenFingerprint: String?
        /// The topic it was sent to, as such or in a condition.
        public var topic: String?
        /// Only those that came after this one.
        public var afterSequence = 0

        public init(
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

        /// Byte for byte, as ids are.
        private static func matches(_ wanted: String?, _ id: String?) -> Bool {
            wanted.map { id?.hasSameBytes(as: $0) ?? false } ?? true
        }
    }

    private let log: EmulatorLog<Item>

    /// - Parameters:
    ///   - capacity: how many notifications are kept; older ones are dropped.
    ///   - maximumBytes: how much memory they may take together; likewise.
    public init(capacity: Int = 10_000, maximumBytes: Int = 64 << 20) {
        log = EmulatorLog(capacity: capacity, maximumBytes: maximumBytes)
    }

    /// - Parameter encoded: the message.
    func append(
        _ message: OutgoingMessage, _ encoded: EncodedMessage, _ notification: OutgoingNotification,
        at time: Timestamp
    ) {
        let collapseID = message.message.apns?.header("apns-collapse-id")
        let texts = [
            notification.target.address.token.value, notification.target.registration?.description, message.condition,
            collapseID,
        ]
        let bytes = texts.reduce(encoded.count + .logEntryOverhead) { $0 + ($1?.utf8.count ?? 0) }
        log.append(bytes: bytes) { sequence in
            Item(
                sequence: sequence, id: notification.id, receivedAt: time, target: notification.target,
                condition: message.condition, encoded: encoded, collapseID: collapseID)
        }
    }

    public func items(matching filter: Filter = Filter()) -> [Item] { log.elements(where: filter.matches) }

    /// What matches, as soon as there are `count` of it, or the bound has passed.
    public func items(
        matching filter: Filter, waitingFor count: Int, atMost bound: Duration, clock: any Clock<Duration>
    ) async -> [Item] {
        await log.elements(where: { filter.matches($0) }, waitingFor: count, atMost: bound, clock: clock)
    }

    /// Forgets everything received.
    public func reset() { log.reset() }
}
