public import Foundation

/// An error of a call of the client. Its texts contain neither secrets nor tokens. `docs/client.md` has the remedies.
public enum PushClientError: Error, Hashable, Sendable {
    /// 401: the gateway does not accept the secret, because it is too short, too long or has characters that are not
    /// permitted.
    case unauthorized
    /// 400 and 413: a field of the request is invalid. The gateway's code names it, for example `cwd_too_long`.
    case invalidRequest(status: Int, code: String?)
    /// 429: too many requests, with the time to wait if the gateway sent one.
    case rateLimited(retryAfter: Duration?)
    /// 5xx: a temporary failure of the gateway, with the time to wait if it sent one.
    case unavailable(status: Int, retryAfter: Duration?)
    /// Any other status, for example a redirect: the base URL is wrong, or another server answered.
    case unexpectedAnswer(status: Int, code: String?)
    /// No answer, with the network's error.
    case unreachable(reason: String)
    /// The task was cancelled, for example because the chat was closed.
    case cancelled
    /// The ``PushServerDirectory`` could not read the servers.
    case serversUnreadable
    /// The ``SubscriptionStorage`` could not read or write the list.
    case storageFailed(reason: String)
    /// The author's relay has given no address for the registration, with its error.
    case relay(RelayError)
    /// 404 to a pairing code: it is wrong, was used, or is older than ten minutes.
    case unknownCode
}

extension PushClientError {
    /// The status of the gateway's answer; `nil` if there was none, or if the error is the relay's.
    public var status: Int? {
        switch self {
        case .unauthorized: 401
        case .rateLimited: 429
        case .unknownCode: 404
        case .invalidRequest(let status, _), .unavailable(let status, _), .unexpectedAnswer(let status, _): status
        case .unreachable, .cancelled, .serversUnreadable, .storageFailed, .relay: nil
        }
    }

    /// `true` if the same call may succeed later; `false` if something has to be corrected first.
    public var mayHelpToRetry: Bool {
        switch self {
        case .rateLimited, .unavailable, .unreachable, .cancelled, .serversUnreadable, .storageFailed: true
        case .unexpectedAnswer(let status, _): Self.isOfAnIntermediary(status)
        case .relay(let error): error.mayHelpToRetry
        case .unauthorized, .invalidRequest, .unknownCode: false
        }
    }

    /// Returns `true` for a status that proxies, firewalls and log-in pages of networks send temporarily, and gateways
    /// never send.
    private static func isOfAnIntermediary(_ status: Int) -> Bool {
        (300..<400).contains(status) || [403, 408, 421, 425].contains(status)
    }

    /// The time to wait before the next call, at most an hour; `nil` if the gateway sent none.
    public var retryAfter: Duration? {
        switch self {
        case .rateLimited(let retryAfter), .unavailable(_, let retryAfter): retryAfter
        case .relay(let error): error.retryAfter
        default: nil
        }
    }

    /// `true` if calls for the server's other chats would fail in the same way.
    var concernsWholeServer: Bool {
        if case .invalidRequest = self { false } else { true }
    }

    /// Returns the error with the remaining time to wait.
    func waiting(_ left: Duration) -> PushClientError {
        switch self {
        case .rateLimited: .rateLimited(retryAfter: left)
        case .unavailable(let status, _): .unavailable(status: status, retryAfter: left)
        default: self
        }
    }
}

extension PushClientError: LocalizedError, CustomStringConvertible {
    /// The error as a sentence.
    public var errorDescription: String? { description }

    /// The error as a sentence.
    public var description: String {
        switch self {
        case .unauthorized:
            "The gateway refuses the server's secret (401). It must be 32 to 256 letters, digits and +/=_-."
        case .invalidRequest(let status, let code):
            "The gateway refuses a field of the request (\(Self.answer(status, code)))."
        case .rateLimited(let retryAfter):
            "Too many requests (429)\(Self.wait(retryAfter))."
        case .unavailable(let status, let retryAfter):
            "The gateway cannot accept requests at the moment (\(status))\(Self.wait(retryAfter))."
        case .unexpectedAnswer(let status, let code):
            "No push gateway answers at the base URL (\(Self.answer(status, code)))."
        case .unreachable(let reason): "The gateway did not answer: \(reason)."
        case .cancelled: "The call was cancelled."
        case .serversUnreadable: "The servers' secrets cannot be read at the moment."
        case .relay(let error): error.description
        case .unknownCode: "The code is wrong, was used, or is older than ten minutes."
        case .storageFailed(let reason): "The list of subscriptions cannot be read or saved: \(reason)."
        }
    }

    private static func answer(_ status: Int, _ code: String?) -> String {
        code.map { "\(status), \($0)" } ?? "\(status)"
    }

    private static func wait(_ duration: Duration?) -> String {
        duration.map { "; try again in \($0.components.seconds) s" } ?? ""
    }
}
