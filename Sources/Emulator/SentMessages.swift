package import DocumentStore
package import Messaging

/// The messages that the emulator was asked to send, the newest last, including those without any recipient. The log
/// is bounded and in memory only.
package final class SentMessages: Sendable {
    /// One valid request to `messages:send` that was not a dry run.
    package struct Item: Sendable {
        /// The number of the message. Numbers increase by one and are never used again.
        package let sequence: Int
        /// The time of the request.
        package let sentAt: Timestamp
        /// The target of the request.
        package let recipient: Recipient
        /// The answer to the request.
        package let answer: Answer
        let encoded: EncodedMessage

        /// The message, decoded at each access. A log of decoded messages would exceed its limit many times.
        package var message: Message { encoded.message }
    }

    /// The target of a request.
    package enum Recipient: Hashable, Sendable {
        /// A registration token.
        case token(RegistrationToken)
        /// An installation id.
        case fid(String)
        /// The name of a topic.
        case topic(String)
        /// A condition as the request contains it, and the topics that it names.
        case condition(String, topics: [String])
    }

    /// The answer to a request.
    package enum Answer: Hashable, Sendable {
        /// The message's id.
        case accepted(String)
        /// FCM's error code.
        case refused(String)
    }

    /// A selection of messages. A property that is `nil` matches everything.
    package struct Filter: Sendable {
        /// The fingerprint of the token or installation id of the target.
        package var tokenFingerprint: String?
        /// The topic of the message, as its target or within its condition.
        package var topic: String?
        /// The number after which messages match.
        package var afterSequence = 0

        /// Matches all messages if no argument is given.
        package init(tokenFingerprint: String? = nil, topic: String? = nil, afterSequence: Int = 0) {
            self.tokenFingerprint = tokenFingerprint
            self.topic = topic
            self.afterSequence = afterSequence
        }

        func matches(_ item: Item) -> Bool {
            item.sequence > afterSequence
                && (tokenFingerprint == nil || item.recipient.token?.fingerprint == tokenFingerprint)
                && (topic.map(item.recipient.topics.contains) ?? true)
        }
    }

    private let log: EmulatorLog<Item>

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of messages; older ones are dropped.
    ///   - maximumBytes: the maximum memory of all messages; older ones are dropped.
    package init(capacity: Int = 10_000, maximumBytes: Int = 64 << 20) {
        log = EmulatorLog(capacity: capacity, maximumBytes: maximumBytes)
    }

    /// Appends a request. The oldest ones are dropped if there is no room for it.
    package func append(_ request: SendRequest, answer: Answer, at time: Timestamp) {
        let encoded = EncodedMessage(request.message)
        let recipient = Recipient(request.target)
        log.append(bytes: encoded.count + recipient.byteCount + .logEntryOverhead) { sequence in
            Item(sequence: sequence, sentAt: time, recipient: recipient, answer: answer, encoded: encoded)
        }
    }

    /// Returns the matching messages, without waiting for any.
    package func items(matching filter: Filter = Filter()) -> [Item] { log.elements(where: filter.matches) }

    /// Returns the matching messages as soon as there are `count`, or when the time limit has passed.
    package func items(
        matching filter: Filter, waitingFor count: Int, atMost bound: Duration, clock: any Clock<Duration>
    ) async -> [Item] {
        await log.elements(where: { filter.matches($0) }, waitingFor: count, atMost: bound, clock: clock)
    }

    /// Removes all messages.
    package func reset() { log.reset() }
}

extension SentMessages.Recipient {
    fileprivate init(_ target: SendRequest.Target) {
        self =
            switch target {
            case .token(let token): .token(token)
            case .fid(let fid): .fid(fid)
            case .topic(let topic): .topic(topic)
            case .condition(let condition): .condition(condition.description, topics: condition.topics)
            }
    }

    /// The text that identifies a single recipient. An installation id that is not registered counts as a token.
    fileprivate var token: RegistrationToken? {
        switch self {
        case .token(let token): token
        case .fid(let fid): RegistrationToken(fid)
        case .topic, .condition: nil
        }
    }

    fileprivate var topics: [String] {
        switch self {
        case .topic(let topic): [topic]
        case .condition(_, let topics): topics
        case .token, .fid: []
        }
    }

    /// The size of the texts in bytes.
    fileprivate var byteCount: Int {
        switch self {
        case .token(let token): token.value.utf8.count
        case .fid(let text), .topic(let text): text.utf8.count
        case .condition(let text, let topics): topics.reduce(text.utf8.count) { $0 + $1.utf8.count }
        }
    }
}
