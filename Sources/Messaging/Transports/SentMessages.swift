public import DocumentStore

/// What the emulator was asked to send, newest last, whatever became of it: what reached nobody too. Bounded, and gone with the
/// process.
public final class SentMessages: Sendable {
    /// One request to `messages:send` that was in order, and no dry run.
    public struct Item: Sendable {
        /// Grows by one with each message, and is never used again.
        public let sequence: Int
        public let sentAt: Timestamp
        public let recipient: Recipient
        public let answer: Answer
        let encoded: EncodedMessage

        /// Decoded at each call: a log of decoded messages would take many times its bound.
        public var message: Message { encoded.message }
    }

    /// A target of a request, without what is found by parsing it.
    public enum Recipient: Hashable, Sendable {
        case token(RegistrationToken)
        case fid(String)
        case topic(String)
        /// A condition as it was written, and the topics it names.
        case condition(String, topics: [String])
    }

    public enum Answer: Hashable, Sendable {
        /// The message's id.
        case accepted(String)
        /// FCM's code of the error.
        case refused(String)
    }

    /// Which messages to look at; what is nil matches everything.
    public struct Filter: Sendable {
        /// The fingerprint of the token that it was sent to, as such or as an installation's id.
        public var tokenFingerprint: String?
        /// The topic it was sent to, as such or in a condition.
        public var topic: String?
        /// Only those that were sent after this one.
        public var afterSequence = 0

        public init(tokenFingerprint: String? = nil, topic: String? = nil, afterSequence: Int = 0) {
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

    /// - Parameters:
    ///   - capacity: how many messages are kept; older ones are dropped.
    ///   - maximumBytes: how much memory they may take together; likewise.
    public init(capacity: Int = 10_000, maximumBytes: Int = 64 << 20) {
        log = EmulatorLog(capacity: capacity, maximumBytes: maximumBytes)
    }

    public func append(_ request: SendRequest, answer: Answer, at time: Timestamp) {
        let encoded = EncodedMessage(request.message)
        let recipient = Recipient(request.target)
        log.append(bytes: encoded.count + recipient.byteCount + .logEntryOverhead) { sequence in
            Item(sequence: sequence, sentAt: time, recipient: recipient, answer: answer, encoded: encoded)
        }
    }

    public func items(matching filter: Filter = Filter()) -> [Item] { log.elements(where: filter.matches) }

    /// What matches, as soon as there are `count` of it, or the bound has passed.
    public func items(
        matching filter: Filter, waitingFor count: Int, atMost bound: Duration, clock: any Clock<Duration>
    ) async -> [Item] {
        await log.elements(where: { filter.matches($0) }, waitingFor: count, atMost: bound, clock: clock)
    }

    /// Forgets everything sent.
    public func reset() { log.reset() }
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

    /// What one recipient goes by; an installation's id is taken for a token where nobody has registered it.
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

    /// The size of its texts.
    fileprivate var byteCount: Int {
        switch self {
        case .token(let token): token.value.utf8.count
        case .fid(let text), .topic(let text): text.utf8.count
        case .condition(let text, let topics): topics.reduce(text.utf8.count) { $0 + $1.utf8.count }
        }
    }
}
