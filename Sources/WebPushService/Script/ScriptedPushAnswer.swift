/// One step of a script: an answer, and the number of valid requests that get it.
///
/// Only requests that pass validation reach the script; an invalid request is refused first.
public struct ScriptedPushAnswer: Hashable, Sendable {
    /// A way to end a request.
    public enum Ending: String, Hashable, Sendable {
        /// An answer with ``status``.
        case answer
        /// No answer. The connection stays open until the sender or the service closes it.
        case hang
        /// No answer. The connection is closed.
        case close
    }

    /// The value of a `retry-after` header.
    public enum RetryAfter: Hashable, Sendable {
        /// A number of seconds.
        case seconds(Int)
        /// The date after a number of seconds.
        case date(after: Int)
    }

    /// The HTTP status, 200 to 599.
    public var status: Int
    /// The reason in the answer; `nil` for the reason that the endpoint's service has for the status.
    public var reason: String?
    /// The `errno` of Mozilla's body; `nil` for the one that belongs to the status.
    public var errno: Int?
    /// The way to end the request.
    public var ending: Ending
    /// `true` to deliver the message, even if the status says otherwise or there is no answer. The sender cannot know,
    /// so it repeats the request, which counts as a duplicate.
    public var isAccepted: Bool
    /// The number of requests before the next step; `nil` for all that follow.
    public var count: Int?
    /// The delay of the answer.
    public var delay: Duration
    /// The value of a `retry-after` header; `nil` for no header.
    public var retryAfter: RetryAfter?

    /// Creates a step that answers with a status.
    public init(
        status: Int, reason: String? = nil, errno: Int? = nil, count: Int? = 1, delay: Duration = .zero,
        retryAfter: RetryAfter? = nil
    ) {
        self.status = status
        self.reason = reason
        self.errno = errno
        self.ending = .answer
        self.isAccepted = (200..<300).contains(status)
        self.count = count
        self.delay = delay
        self.retryAfter = retryAfter
    }

    /// Returns a step that accepts the message after a delay.
    public static func accepting(after delay: Duration, count: Int? = 1) -> ScriptedPushAnswer {
        ScriptedPushAnswer(status: 201, count: count, delay: delay)
    }

    /// Returns a step without an answer, whose connection stays open.
    ///
    /// - Parameter isAccepted: `true` to deliver the message nevertheless.
    public static func hanging(count: Int? = 1, isAccepted: Bool = false) -> ScriptedPushAnswer {
        var step = ScriptedPushAnswer(status: 201, count: count)
        step.ending = .hang
        step.isAccepted = isAccepted
        return step
    }

    /// Returns a step that closes the connection without an answer.
    ///
    /// - Parameter isAccepted: `true` to deliver the message nevertheless.
    public static func closing(count: Int? = 1, isAccepted: Bool = false) -> ScriptedPushAnswer {
        var step = ScriptedPushAnswer(status: 201, count: count)
        step.ending = .close
        step.isAccepted = isAccepted
        return step
    }
}

/// The answers of the services to requests that are in order.
extension PushServiceProfile {
    /// Returns the reason that the service has for a status; the status alone if it is unknown.
    func rejection(status: Int) -> PushRejection {
        let fault: PushFault? =
            switch status {
            case 404: .unknownSubscription
            case 410: .endedSubscription
            case 413: .tooLarge
            default: nil
            }
        if let fault { return rejection(for: fault) }
        switch (self, status) {
        case (.apple, 429): return PushRejection(status: 429, reason: "TooManyRequests")
        case (.apple, 500): return PushRejection(status: 500, reason: "InternalServerError")
        case (.apple, 503): return PushRejection(status: 503, reason: "ServiceUnavailable")
        case (.mozilla, 429): return PushRejection(status: 429, reason: "Too Many Requests", errno: 201)
        case (.mozilla, 502): return PushRejection(status: 502, reason: "Bad Gateway", errno: 900)
        case (.mozilla, 503): return PushRejection(status: 503, reason: "Service Unavailable", errno: 201)
        case (_, 406), (_, 429): return PushRejection(status: status, reason: "too many messages")
        default: return PushRejection(status: status, reason: "the status \(status) is scripted")
        }
    }
}
