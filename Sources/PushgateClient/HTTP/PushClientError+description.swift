public import Foundation

extension PushClientError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .unauthorized:
            "The gateway refuses the server's secret (401). It must be 32 to 256 letters, digits and +/=_-."
        case .invalidRequest(let status, let code):
            "The gateway refuses a field of the request (\(Self.answer(status, code)))."
        case .rateLimited(let retryAfter):
            "Too many requests (429)\(Self.wait(retryAfter))."
        case .unavailable(let status, let retryAfter):
            "The gateway cannot take it at the moment (\(status))\(Self.wait(retryAfter))."
        case .unexpectedAnswer(let status, let code):
            "No push gateway answers at the base URL (\(Self.answer(status, code)))."
        case .unreachable(let reason): "The gateway did not answer: \(reason)."
        case .cancelled: "The call was cancelled."
        case .serversUnreadable: "The servers' secrets cannot be read at the moment."
        case .storageFailed(let reason): "The list of subscriptions cannot be kept: \(reason)."
        }
    }

    private static func answer(_ status: Int, _ code: String?) -> String {
        code.map { "\(status), \($0)" } ?? "\(status)"
    }

    private static func wait(_ duration: Duration?) -> String {
        duration.map { "; again in \($0.components.seconds) s" } ?? ""
    }
}
