internal import JSON
internal import Messaging

/// FCM's answer to one request, and what it means.
///
/// [Error codes](https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode). They are an open set: one that is not
/// known is judged by its status.
struct FCMAnswer: Hashable, Sendable {
    let status: Int
    let retryAfter: Duration?
    private let error: FCMError

    /// - Parameter body: `{"error":{"status":…,"message":…,"details":[…]}}`, or anything.
    init(status: Int, retryAfter: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.retryAfter = RetryAfter.duration(retryAfter)
        error = FCMError(body)
    }

    /// Every 200 is the same.
    static let accepted = FCMAnswer(status: 200)

    /// Whether it is our access token that was not taken. A 401 of `THIRD_PARTY_AUTH_ERROR` is about the key that the
    /// project has for APNs or web push, and another access token would not help.
    var wantsNewAccessToken: Bool { status == 401 && error.code != "THIRD_PARTY_AUTH_ERROR" }

    var outcome: Outcome {
        guard status != 200 else { return .accepted }
        switch error.code {
        case "UNREGISTERED": return dead
        case "INVALID_ARGUMENT": return invalidArgument
        case "SENDER_ID_MISMATCH": return rejection(.mismatchedCredential)
        case "QUOTA_EXCEEDED": return quotaExceeded
        // The app's key at Firebase, which Android's tokens of the same lane do without.
        case "THIRD_PARTY_AUTH_ERROR": return failure(.thirdPartyAuthError)
        case "INTERNAL": return failure(.internalError)
        case "UNAVAILABLE": return failure(.serverUnavailable)
        default: return outcomeByStatus
        }
    }

    private var outcomeByStatus: Outcome {
        switch status {
        case 400: invalidArgument
        // Of Google's own, not of an endpoint that is none, which says nothing about a token.
        case 404 where error.status == "NOT_FOUND": rejection(.registrationTokenNotRegistered, death: .doubtful)
        // Our token; or our account, which has no permission, or the API, which the project has not enabled.
        case 401, 403: failure(.thirdPartyAuthError, laneTrouble: .refused)
        case 408: failure(.serverUnavailable)
        case 429: quotaExceeded
        case 500: failure(.internalError)
        case 501...: failure(.serverUnavailable)
        case 400...: rejection(.invalidArgument)
        default: failure(.unknownError)
        }
    }

    /// 400 is for everything wrong with a request, the token included: it costs no registration. Only Apple's 410 does, which
    /// is the newer form of UNREGISTERED for Apple's devices.
    private var invalidArgument: Outcome { error.apns?.status == 410 ? dead : rejection(.invalidArgument) }

    private var dead: Outcome { rejection(.registrationTokenNotRegistered, death: .certain(since: nil)) }

    /// [How long to wait](https://firebase.google.com/docs/cloud-messaging/scale-fcm#handling-retries) without
    /// `Retry-After`: a minute. It is taken for the target's own: the code is the same for a device's, a topic's and the
    /// project's quota, and FCM's reference does not say by what `google.rpc.QuotaFailure` would tell them apart.
    private var quotaExceeded: Outcome {
        .failed(Failure(code: .messageRateExceeded, reason: reason, retryAfter: retryAfter ?? .seconds(60)))
    }

    private func rejection(_ code: MessagingErrorCode, death: TokenDeath? = nil) -> Outcome {
        .rejected(Rejection(code: code, reason: reason, apns: error.apns, death: death))
    }

    private func failure(_ code: MessagingErrorCode, laneTrouble: LaneTrouble? = nil) -> Outcome {
        .failed(Failure(code: code, reason: reason, retryAfter: retryAfter, laneTrouble: laneTrouble))
    }

    private var reason: String { error.reason ?? "HTTP\(status)" }
}
