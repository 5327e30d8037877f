import JSON
package import Messaging
import Texts

/// An answer of a push service, and the outcome that it stands for.
///
/// RFC 8030 §5 and RFC 8292 §4.2 name few statuses. The others are those of
/// [Apple](https://developer.apple.com/documentation/usernotifications/sending-web-push-notifications-in-web-apps-and-browsers),
/// [Mozilla](https://mozilla-services.github.io/autopush-rs/errors.html),
/// [Microsoft](https://learn.microsoft.com/en-us/windows/apps/design/shell/tiles-and-notifications/push-request-response-headers)
/// and ntfy.
///
/// Strangers' hosts answer too. So nothing of a body is kept except a known service's own word, and no answer of one
/// target's host holds up others, but for one of Apple's main host about the token of the sender.
package struct WebPushAnswer: Hashable, Sendable {
    private let profile: ServiceProfile
    private let isOfMainHost: Bool
    /// The HTTP status.
    package let status: Int
    /// The service's own word, such as Apple's `BadJwtToken` or `Errno103` for autopush's number; else `HTTP410`.
    package let reason: String
    private let retryAfter: Duration?
    /// Autopush's number of an error.
    private let errno: Int64?
    /// Microsoft's `X-WNS-NotificationStatus`.
    private let notificationStatus: String?

    /// The longest word of a service that is kept.
    private static let maximumReasonLength = 100
    /// The time since the acceptance of a message after which a 403 counts for its subscription, in seconds. It may be
    /// about the sender before, whose address or clock somebody corrects.
    static let patienceWithRefusals: Int64 = 3_600
    /// The wait after 429 and 503 without `Retry-After`.
    private static let usualWait = Duration.seconds(60)

    private static let retryAfterName = "retry-after"
    private static let notificationStatusName = "x-wns-notificationstatus"
    /// The name of the field with the service's time.
    static let dateName = "date"
    /// The names of the fields that are read.
    static let fieldNames = [dateName, retryAfterName, notificationStatusName]

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - isOfMainHost: `true` if the service's own server has certainly answered.
    ///   - field: Returns the value of a header field; its name is in lower case.
    ///   - now: The time of the server, in seconds since 1970; read only for `Retry-After`.
    package init(
        from profile: ServiceProfile, isOfMainHost: Bool = false, status: Int, body: [UInt8] = [],
        now: @autoclosure () -> Int64 = 0, field: (String) -> String? = { _ in nil }
    ) {
        self.profile = profile
        self.isOfMainHost = isOfMainHost
        self.status = status
        let json = [.apple, .mozilla].contains(profile) ? Self.json(body) : nil
        errno = profile == .mozilla ? json?["errno"]?.integer : nil
        reason = Self.word(json?["reason"]?.string) ?? errno.map { "Errno\($0)" } ?? "HTTP\(status)"
        retryAfter = field(Self.retryAfterName).flatMap { RetryAfter.duration($0, now: now()) }
        notificationStatus = profile == .microsoft ? field(Self.notificationStatusName)?.lowercased() : nil
    }

    private static func json(_ body: [UInt8]) -> JSONValue? { body.isEmpty ? nil : try? JSONValue(parsing: body) }

    /// Returns a word of letters and digits, cut to 100 characters; `nil` for any other text.
    private static func word(_ text: String?) -> String? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy(\.isASCIILetterOrDigit) else { return nil }
        return String(text.prefix(maximumReasonLength))
    }

    /// `true` if the message may get through with less padding, or less text.
    package var isTooLarge: Bool { status == 413 }

    /// `true` if the service refuses the sender, whose key or token it does not accept for this subscription or at all.
    package var refusesSender: Bool { status == 401 || status == 403 }

    /// `true` if the service has judged the message or its subscription, which it does for senders that it accepts.
    package var acceptsSender: Bool {
        switch status {
        case 200..<300, 400, 404, 410, 413: true
        default: false
        }
    }

    /// Returns the outcome that the answer stands for.
    ///
    /// - Parameter age: The time since the gateway has accepted the message, in seconds.
    package func outcome(age: Int64 = 0) -> Outcome {
        if let outcome = appleOutcome { return outcome }
        switch status {
        case 200..<300: return outcomeOfAcceptance
        case 403 where age >= Self.patienceWithRefusals: return rejection(.mismatchedCredential)
        case 401, 403: return failure(.thirdPartyAuthError)
        case 404: return dead(.unrecognized)
        case 410: return dead(.unregistered(since: nil))
        case 406 where profile == .microsoft: return slowDown(.messageRateExceeded)
        case 408, 425: return failure(.serverUnavailable)
        case 413: return rejection(.invalidArgument, reason: "PayloadTooLarge")
        case 429: return slowDown(.messageRateExceeded)
        case 300..<400: return rejection(.invalidArgument, reason: "Redirected")
        case 400..<500: return rejection(.invalidArgument)
        case 500: return failure(.internalError)
        // Autopush says that the next attempt may follow at once. The dispatcher's own delay is short.
        case 503 where errno == 202: return failure(.serverUnavailable)
        case 503: return slowDown(.serverUnavailable)
        // A distributor has no subscriber for the topic at the moment, and keeps no message for one.
        case 507: return failure(.serverUnavailable, reason: "NoSubscriber")
        case 501...: return failure(.serverUnavailable)
        default: return failure(.unknownError)
        }
    }

    /// The outcome by Apple's reason; `nil` if the status decides.
    private var appleOutcome: Outcome? {
        guard profile == .apple else { return nil }
        switch reason {
        // The subscription was made with another key than ours.
        case "VapidPkHashMismatch": return rejection(.mismatchedCredential)
        case "BadDeviceToken": return dead(.unrecognized)
        // They are about the sender's token, which all subscriptions get.
        case "BadJwtToken", "BadAuthorizationHeader", "ExpiredJwtToken", "TooManyProviderTokenUpdates":
            return isOfMainHost ? failure(.thirdPartyAuthError, laneFailure: .refused) : nil
        default: return nil
        }
    }

    /// The outcome of a success. Microsoft answers so too if it has dropped the message.
    private var outcomeOfAcceptance: Outcome {
        switch notificationStatus {
        case "dropped": rejection(.unknownError, reason: "Dropped")
        case "channelthrottled": slowDown(.messageRateExceeded)
        default: .accepted
        }
    }

    private func dead(_ invalidation: TokenInvalidation) -> Outcome {
        rejection(.registrationTokenNotRegistered, invalidation: invalidation)
    }

    private func slowDown(_ code: MessagingErrorCode) -> Outcome {
        .failed(Failure(code: code, reason: reason, retryAfter: retryAfter ?? Self.usualWait))
    }

    private func rejection(
        _ code: MessagingErrorCode, reason: String? = nil, invalidation: TokenInvalidation? = nil
    ) -> Outcome {
        .rejected(
            Rejection(
                code: code, reason: reason ?? self.reason,
                verdict: PlatformVerdict(by: .webPush, status: status, reason: self.reason),
                invalidation: invalidation))
    }

    private func failure(
        _ code: MessagingErrorCode, reason: String? = nil, laneFailure: LaneFailure? = nil
    ) -> Outcome {
        .failed(Failure(code: code, reason: reason ?? self.reason, retryAfter: retryAfter, laneFailure: laneFailure))
    }
}
