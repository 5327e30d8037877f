internal import DocumentStore
internal import JSON
internal import Messaging

/// APNs' answer to one request, and what it means.
///
/// [Handling notification responses](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
/// Reasons are an open set: one that is not known is judged by its status.
struct APNsAnswer: Hashable, Sendable {
    let status: Int
    let reason: String
    /// When APNs last found that a 410's token was dead, in milliseconds since 1970.
    let timestamp: Int64?
    let retryAfter: Duration?

    init(status: Int, reason: String, timestamp: Int64? = nil, retryAfter: Duration? = nil) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfter = retryAfter
    }

    /// Apple's reasons have some thirty characters.
    static let maximumReasonLength = 100

    /// Every 200 is the same.
    static let accepted = APNsAnswer(status: 200, reason: "")

    /// - Parameter body: `{"reason":…,"timestamp":…}`, or nothing.
    init(status: Int, retryAfter: String?, body: [UInt8]) {
        let json = try? JSONValue(parsing: body)
        self.init(
            status: status,
            reason: (json?["reason"]?.string).map { String($0.prefix(Self.maximumReasonLength)) } ?? "HTTP\(status)",
            timestamp: json?["timestamp"]?.integer,
            retryAfter: RetryAfter.duration(retryAfter))
    }

    /// Whether the connection it came on will refuse everything from now on.
    var wantsNewProviderToken: Bool { status == 403 && reason == "ExpiredProviderToken" }

    var outcome: Outcome {
        switch (status, reason) {
        case (200, _):
            return .accepted
        case (410, _):
            return .rejected(
                Rejection(
                    code: .registrationTokenNotRegistered, reason: reason, apns: verdict,
                    death: .certain(since: timestamp.map { Timestamp(microseconds: $0 &* 1_000) })))
        case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"):
            return .rejected(
                Rejection(code: .invalidRegistrationToken, reason: reason, apns: verdict, death: .doubtful))
        case (400, "IdleTimeout"):
            return failure(.serverUnavailable)
        case (403, _):
            return failure(.thirdPartyAuthError, laneTrouble: .refused)
        case (429, "TooManyProviderTokenUpdates"):
            return failure(.thirdPartyAuthError, laneTrouble: .refused)
        case (429, _):
            return failure(.messageRateExceeded)
        case (500, _):
            return failure(.internalError)
        case (501..., _):
            return failure(.serverUnavailable)
        case (400..., _):
            return .rejected(Rejection(code: .invalidArgument, reason: reason, apns: verdict))
        default:
            return failure(.unknownError)
        }
    }

    private var verdict: APNsVerdict { APNsVerdict(status: status, reason: reason) }

    private func failure(_ code: MessagingErrorCode, laneTrouble: LaneTrouble? = nil) -> Outcome {
        .failed(Failure(code: code, reason: reason, retryAfter: retryAfter, laneTrouble: laneTrouble))
    }
}

extension Failure {
    /// Whether the key as such is good: APNs refuses this provider token, or this often a new one.
    var isPassing: Bool { reason == "TooManyProviderTokenUpdates" || reason == "ExpiredProviderToken" }
}

extension Outcome {
    /// Whether the token may be one of the other environment.
    var isUnknownToken: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return rejection.reason == "BadDeviceToken"
    }
}
