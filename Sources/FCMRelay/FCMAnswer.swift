import JSON
import Messaging

/// A response from FCM, and the outcome that it stands for.
///
/// [Error codes](https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode). They are an open set. The status
/// decides about an unknown code.
struct FCMAnswer: Hashable, Sendable {
    let status: Int
    let retryAfter: Duration?
    private let error: FCMError

    /// - Parameter body: `{"error":{"status":…,"message":…,"details":[…]}}`, or any other bytes.
    init(status: Int, retryAfter: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.retryAfter = RetryAfter.duration(retryAfter)
        error = FCMError(body)
    }

    /// The answer for every status 200.
    static let accepted = FCMAnswer(status: 200)

    /// `true` if FCM refused our access token. A 401 with `THIRD_PARTY_AUTH_ERROR` is about the project's key for
    /// APNs or web push, and another access token would not help.
    var wantsNewAccessToken: Bool { status == 401 && error.code != "THIRD_PARTY_AUTH_ERROR" }

    /// The outcome that this status and code stand for.
    var outcome: Outcome {
        guard status != 200 else { return .accepted }
        switch error.code {
        case "UNREGISTERED": return dead
        case "INVALID_ARGUMENT": return invalidArgument
        case "SENDER_ID_MISMATCH": return rejection(.mismatchedCredential)
        case "QUOTA_EXCEEDED": return quotaExceeded
        // It is about the app's key at Firebase. Android's tokens of the same lane do not need it.
        case "THIRD_PARTY_AUTH_ERROR": return failure(.thirdPartyAuthError)
        case "INTERNAL": return failure(.internalError)
        case "UNAVAILABLE": return failure(.serverUnavailable)
        default: return outcomeByStatus
        }
    }

    private var outcomeByStatus: Outcome {
        switch status {
        case 400: invalidArgument
        // Only a 404 of Google's own: one from an endpoint that is not FCM says nothing about a token.
        case 404 where error.status == "NOT_FOUND":
            rejection(.registrationTokenNotRegistered, invalidation: .unrecognized)
        // The access token, the account without permission, or the API that the project has not enabled.
        case 401, 403: failure(.thirdPartyAuthError, laneFailure: .refused)
        case 408: failure(.serverUnavailable)
        case 429: quotaExceeded
        case 500: failure(.internalError)
        case 501...: failure(.serverUnavailable)
        case 400...: rejection(.invalidArgument)
        default: failure(.unknownError)
        }
    }

    /// The outcome of a 400, which FCM returns for anything wrong with a request, including the token. It removes no
    /// registration. Only Apple's 410 does, which is the newer form of UNREGISTERED for Apple's devices.
    private var invalidArgument: Outcome { error.apns?.status == 410 ? dead : rejection(.invalidArgument) }

    private var dead: Outcome { rejection(.registrationTokenNotRegistered, invalidation: .unregistered(since: nil)) }

    /// The outcome of an exceeded quota. Without `Retry-After`
    /// [the wait](https://firebase.google.com/docs/cloud-messaging/scale-fcm#handling-retries) is a minute. It counts
    /// as the target's own quota: FCM uses the same code for the quota of a device, a topic and the project, and its
    /// reference does not say how `google.rpc.QuotaFailure` tells them apart.
    private var quotaExceeded: Outcome {
        .failed(Failure(code: .messageRateExceeded, reason: reason, retryAfter: retryAfter ?? .seconds(60)))
    }

    private func rejection(_ code: MessagingErrorCode, invalidation: TokenInvalidation? = nil) -> Outcome {
        .rejected(Rejection(code: code, reason: reason, verdict: error.apns, invalidation: invalidation))
    }

    private func failure(_ code: MessagingErrorCode, laneFailure: LaneFailure? = nil) -> Outcome {
        .failed(Failure(code: code, reason: reason, retryAfter: retryAfter, laneFailure: laneFailure))
    }

    private var reason: String { error.reason ?? "HTTP\(status)" }
}

/// An error from FCM, in the form of Google's APIs
/// ([`google.rpc.Status`](https://cloud.google.com/apis/design/errors)).
///
/// Its `message` may repeat the request, so it is neither kept nor shown.
struct FCMError: Hashable, Sendable {
    /// `FcmError.errorCode`; `nil` if FCM itself did not judge the request.
    let code: String?
    /// `error.status`: the gRPC code, such as `INVALID_ARGUMENT`.
    let status: String?
    /// `ApnsError`: APNs' answer to FCM.
    let apns: PlatformVerdict?
    /// The first of `BadRequest.fieldViolations`, such as `message.token`.
    private let field: String?

    init(_ body: [UInt8]) {
        let error = (try? JSONValue(parsing: body))?["error"]
        let details = error?["details"]?.array ?? []
        func detail(_ type: String) -> JSONValue? {
            details.first { $0["@type"]?.string == "type.googleapis.com/" + type }
        }
        apns = detail("google.firebase.fcm.v1.ApnsError").flatMap(Self.verdict)
        code = Self.word(detail("google.firebase.fcm.v1.FcmError")?["errorCode"])
        status = Self.word(error?["status"])
        field = Self.word(detail("google.rpc.BadRequest")?["fieldViolations"]?[0]?["field"])
    }

    /// The most specific code, with APNs' reason or the invalid field if there is one; `nil` if the answer is not
    /// Google's.
    var reason: String? {
        guard let word = code ?? status else { return nil }
        return (apns?.reason ?? field).map { "\(word) (\($0))" } ?? word
    }

    private static func verdict(_ detail: JSONValue) -> PlatformVerdict? {
        guard let status = detail["statusCode"]?.integer, let reason = word(detail["reason"]) else { return nil }
        return PlatformVerdict(by: .apns, status: Int(status), reason: reason)
    }

    /// Returns a code, cut to 100 characters.
    private static func word(_ value: JSONValue?) -> String? { (value?.string).map { String($0.prefix(100)) } }
}
