public import DocumentStore
internal import JSON

/// What the emulator was asked to send, newest last, whatever became of it: what reached nobody too. Bounded, and gone with the
/// process.
public final class SentMessages: Sendable {
    /// One request to `messages:send` that was in order, and no dry run.
    public struct Item: Sendable {
        /// Grows by one with each message, and is never used again.
        public let sequence: Int
        public let sentAt: Timestamp
        public let target: SendRequest.Target
        public let message: Message
        public let answer: Answer
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
                && (tokenFingerprint == nil || item.target.token?.fingerprint == tokenFingerprint)
                && (topic.map(item.target.topics.contains) ?? true)
        }
    }

    private let log: EmulatorLog<Item>

    /// - Parameters:
    ///   - capacity: how many messages are kept; older ones are dropped.
    ///   - maximumBytes: how much they may have together, as JSON; likewise.
    public init(capacity: Int = 10_000, maximumBytes: Int = 64 << 20) {
        log = EmulatorLog(capacity: capacity, maximumBytes: maximumBytes)
    }

    public func append(_ request: SendRequest, answer: Answer, at time: Timestamp) {
        log.append(bytes: request.message.redactedJSON.serialized.count) { sequence in
            Item(sequence: sequence, sentAt: time, target: request.target, message: request.message, answer: answer)
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

extension SendRequest.Target {
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
        case .condition(let condition): condition.topics
        case .token, .fid: []
        }
    }
}
