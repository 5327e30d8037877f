/// One step of a script: an answer, and the number of valid requests that get it.
///
/// Only requests that pass validation reach the script; an invalid request is refused first.
public struct ScriptedAnswer: Hashable, Sendable {
    /// The HTTP status, 200 to 599.
    public var status: Int
    /// The `reason` in the JSON body; `nil` for an empty body, as with 200.
    public var reason: String?
    /// For 410: the time at which the device token was last found invalid, in milliseconds since 1970; `nil` for the
    /// time of the answer.
    public var timestamp: Int64?
    /// The number of requests before the next step; `nil` for all that follow.
    public var count: Int?
    /// The delay of the answer.
    public var delay: Duration
    /// The value of a `retry-after` header, in seconds; `nil` for no header.
    public var retryAfter: Int?

    /// Takes any status and reason, also those that Apple does not use. By default one request gets the answer, at
    /// once.
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

    /// Returns a step that answers with one of Apple's reasons.
    public static func rejecting(
        _ rejection: APNsRejection, timestamp: Int64? = nil, count: Int? = 1, delay: Duration = .zero,
        retryAfter: Int? = nil
    ) -> ScriptedAnswer {
        ScriptedAnswer(
            status: rejection.status, reason: rejection.reason, timestamp: timestamp, count: count, delay: delay,
            retryAfter: retryAfter)
    }

    /// Returns a step that accepts the notification after a delay.
    public static func accepting(after delay: Duration, count: Int? = 1) -> ScriptedAnswer {
        ScriptedAnswer(status: 200, count: count, delay: delay)
    }
}
