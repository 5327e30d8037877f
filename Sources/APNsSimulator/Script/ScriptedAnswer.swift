/// One step of a script: how valid requests are answered, and how many of them.
///
/// Only what passed every check comes to a script; what is wrong with a request is always said first.
public struct ScriptedAnswer: Hashable, Sendable {
    /// The HTTP status, 200 to 599.
    public var status: Int
    /// The `reason` of the JSON body; without one the body is empty, as it is for 200.
    public var reason: String?
    /// For 410: milliseconds since 1970 at which the device token was last found dead; `nil` for the time of the answer.
    public var timestamp: Int64?
    /// How many requests are answered so before the next step; `nil` for all that follow.
    public var count: Int?
    /// How long the answer is held back.
    public var delay: Duration
    /// Seconds for a `retry-after` header.
    public var retryAfter: Int?

    public init(
        status: Int, reason: String? = nil, timestamp: Int64? = nil, count: Int? = 1, delay: Duration = .zero,
        retryAfter: Int? = nil
    ) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.count = count
        self.delay = delay
        self.retryAfter = retryAfter
    }

    /// Answers with one of Apple's reasons.
    public static func rejecting(
        _ rejection: Rejection, timestamp: Int64? = nil, count: Int? = 1, delay: Duration = .zero,
        retryAfter: Int? = nil
    ) -> ScriptedAnswer {
        ScriptedAnswer(
            status: rejection.status, reason: rejection.reason, timestamp: timestamp, count: count, delay: delay,
            retryAfter: retryAfter)
    }

    /// Accepts, after a delay.
    public static func accepting(after delay: Duration, count: Int? = 1) -> ScriptedAnswer {
        ScriptedAnswer(status: 200, count: count, delay: delay)
    }
}
