import DocumentStore
import HTTP2Client
import JSON
import Messaging

/// A response from APNs, and the outcome that it stands for.
///
/// [Handling notification responses](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
///
/// Reasons are an open set. The status decides about an unknown reason.
struct APNsAnswer: Hashable, Sendable {
    let status: Int
    /// Apple's reason, such as `BadDeviceToken`; `HTTP{status}` if the answer names none.
    let reason: String
    /// The last time APNs found the device token of a 410 to be invalid, in milliseconds since 1970.
    let timestamp: Int64?
    let retryAfter: Duration?

    init(status: Int, reason: String, timestamp: Int64? = nil, retryAfter: Duration? = nil) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfter = retryAfter
    }

    /// The maximum number of characters kept of a reason. Apple's reasons have about thirty.
    static let maximumReasonLength = 100

    /// The answer for every status 200.
    static let accepted = APNsAnswer(status: 200, reason: "")

    /// - Parameter body: `{"reason":…,"timestamp":…}`, or empty.
    init(status: Int, retryAfter: String?, body: [UInt8]) {
        let json = try? JSONValue(parsing: body)
        self.init(
            status: status,
            reason: (json?["reason"]?.string).map { String($0.prefix(Self.maximumReasonLength)) } ?? "HTTP\(status)",
            timestamp: json?["timestamp"]?.integer,
            retryAfter: RetryAfter.duration(retryAfter))
    }

    /// `true` if the connection that carried the request refuses all further requests.
    var wantsNewProviderToken: Bool { status == 403 && reason == "ExpiredProviderToken" }

    /// The outcome that this status and reason stand for.
    var outcome: Outcome {
        switch (status, reason) {
        case (200, _):
            return .accepted
        case (410, _):
            return .rejected(
                Rejection(
                    code: .registrationTokenNotRegistered, reason: reason, verdict: verdict,
                    invalidation: .unregistered(since: timestamp.map { Timestamp(microseconds: $0 &* 1_000) })))
        case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"):
            return .rejected(
                Rejection(
                    code: .invalidRegistrationToken, reason: reason, verdict: verdict, invalidation: .unrecognized))
        case (400, "IdleTimeout"):
            return failure(.serverUnavailable)
        case (403, _):
            return failure(.thirdPartyAuthError, laneFailure: .refused)
        case (429, "TooManyProviderTokenUpdates"):
            return failure(.thirdPartyAuthError, laneFailure: .refused)
        case (429, _):
            return failure(.messageRateExceeded)
        case (500, _):
            return failure(.internalError)
        case (501..., _):
            return failure(.serverUnavailable)
        case (400..., _):
            return .rejected(Rejection(code: .invalidArgument, reason: reason, verdict: verdict))
        default:
            return failure(.unknownError)
        }
    }

    private var verdict: PlatformVerdict { PlatformVerdict(by: .apns, status: status, reason: reason) }

    private func failure(_ code: MessagingErrorCode, laneFailure: LaneFailure? = nil) -> Outcome {
        .failed(Failure(code: code, reason: reason, retryAfter: retryAfter, laneFailure: laneFailure))
    }
}

extension Failure {
    /// `true` if the key itself is valid: APNs refuses this one provider token, or the rate of new ones.
    var isPassing: Bool { reason == "TooManyProviderTokenUpdates" || reason == "ExpiredProviderToken" }
}

extension Outcome {
    /// `true` if the token may belong to the other environment.
    var isUnknownToken: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return rejection.reason == "BadDeviceToken"
    }
}

extension HTTP2ClientError {
    /// The reason of the failed notification: Apple's own if it gave one, the proxy's name and response, or the kind
    /// of the error.
    var reason: String {
        if let goAwayReason { return goAwayReason }
        return kind == .proxy ? String(message.prefix(Self.maximumReasonLength)) : kind.rawValue
    }

    /// Long enough for a host name, which has up to 253 characters.
    private static let maximumReasonLength = 300
}

extension HTTP2ClientError {
    /// Apple's reason for closing the connection, from the JSON in its GOAWAY; `nil` if it gave none.
    var goAwayReason: String? {
        goAwayText.flatMap { try? JSONValue(parsing: Array($0.utf8)) }?["reason"]?.string
            .map { String($0.prefix(APNsAnswer.maximumReasonLength)) }
    }
}
