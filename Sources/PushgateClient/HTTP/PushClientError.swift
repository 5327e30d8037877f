/// Why a call of the client failed. No text of it has a secret or a token; docs/client.md says what to do about each.
public enum PushClientError: Error, Hashable, Sendable {
    /// 401: the gateway takes no such secret: too short, too long, or of other characters than it allows.
    case unauthorized
    /// 400 and 413: a field of the request is wrong; the gateway's code says which, `cwd_too_long` for one.
    case invalidRequest(status: Int, code: String?)
    /// 429: too many requests; the time the gateway asks to wait.
    case rateLimited(retryAfter: Duration?)
    /// 5xx: the gateway cannot, for now.
    case unavailable(status: Int, retryAfter: Duration?)
    /// Any other status, a redirect for one: there is no such function at the base URL, or something answers in its place.
    case unexpectedAnswer(status: Int, code: String?)
    /// No answer: what the network said.
    case unreachable(reason: String)
    /// The task was cancelled, as when the chat was closed before it was through.
    case cancelled
    /// The ``PushServerDirectory`` could not read the servers.
    case serversUnreadable
    /// The ``SubscriptionStorage`` could not be read or written.
    case storageFailed(reason: String)
}

extension PushClientError {
    /// The status of the gateway's answer, when there was one.
    public var status: Int? {
        switch self {
        case .unauthorized: 401
        case .rateLimited: 429
        case .invalidRequest(let status, _), .unavailable(let status, _), .unexpectedAnswer(let status, _): status
        case .unreachable, .cancelled, .serversUnreadable, .storageFailed: nil
        }
    }

    /// Whether the same call may succeed later. Otherwise something must be put right first.
    public var mayHelpToRetry: Bool {
        switch self {
        case .rateLimited, .unavailable, .unreachable, .cancelled, .serversUnreadable, .storageFailed: true
        case .unexpectedAnswer(let status, _): Self.isOfAnIntermediary(status)
        case .unauthorized, .invalidRequest: false
        }
    }

    /// Whether a status is one with which proxies, firewalls and the log-in pages of networks answer for a time; no gateway
    /// has it.
    private static func isOfAnIntermediary(_ status: Int) -> Bool {
        (300..<400).contains(status) || [403, 408, 421, 425].contains(status)
    }

    /// How long to wait before that, when the gateway said so. An hour at most.
    public var retryAfter: Duration? {
        switch self {
        case .rateLimited(let retryAfter), .unavailable(_, let retryAfter): retryAfter
        default: nil
        }
    }

    /// Whether a server's other chats would meet with the same.
    var concernsWholeServer: Bool {
        if case .invalidRequest = self { false } else { true }
    }

    /// The same error with what is left to wait.
    func waiting(_ left: Duration) -> PushClientError {
        switch self {
        case .rateLimited: .rateLimited(retryAfter: left)
        case .unavailable(let status, _): .unavailable(status: status, retryAfter: left)
        default: self
        }
    }
}
