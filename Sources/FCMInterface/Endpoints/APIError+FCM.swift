import HTTPTypes
import JSON
import Messaging
import Server

/// FCM's errors in the form of its [HTTP v1 API](https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode).
extension APIError {
    /// Returns an error with FCM's code.
    ///
    /// - Parameters:
    ///   - message: A text for the sender of the request.
    ///   - platform: The verdict of the device's platform, if it caused the error.
    static func fcm(
        _ code: MessagingErrorCode, _ message: String, platform: FCMPlatformError? = nil
    ) -> APIError {
        let row = FCMErrorCode(code)
        var error = APIError(status: row.status, name: row.statusName, message: message)
        error.details = [["@type": .string(detailType + "FcmError"), "errorCode": .string(row.rawValue)]]
        if let platform {
            error.details.append([
                "@type": .string(detailType + platform.type), "statusCode": .integer(Int64(platform.status)),
                "reason": .string(platform.reason),
            ])
        }
        return error
    }

    /// FCM's own code, for example `UNREGISTERED`; `nil` if the error has none.
    var errorCode: String? { details.lazy.compactMap { $0["errorCode"]?.string }.first }

    private static let detailType = "type.googleapis.com/google.firebase.fcm.v1."

    /// Translates faults in the fields of a request.
    init(_ error: InvalidRequest) {
        self.init(status: .badRequest, name: "INVALID_ARGUMENT", message: error.message)
        details = [error.badRequest]
    }

    /// Translates the reason that a registration token cannot be sent to.
    init(_ error: UnknownToken) {
        self =
            switch error {
            case .unregistered: .unregistered
            case .senderMismatch:
                .fcm(
                    .mismatchedCredential,
                    "SenderId mismatch: this gateway did not make the registration token, and has no relay to FCM. "
                        + "Register the device here, or set fcm.relay.serviceAccount")
            case .malformed:
                .fcm(.invalidRegistrationToken, "The registration token is not a valid FCM registration token")
            }
    }

    /// Returns the error of an account that sends too many messages a minute.
    static func quotaExceeded(_ limit: Int, retryAfter seconds: Int64) -> APIError {
        var error = fcm(
            .messageRateExceeded,
            "Quota exceeded: an account may send \(limit) messages a minute (fcm.messagesPerMinutePerAccount)")
        error.headers[.retryAfter] = String(seconds)
        return error
    }

    /// Returns the error that a script requests, with FCM's texts where clients may parse them.
    static func scripted(_ code: MessagingErrorCode) -> APIError {
        switch code {
        case .registrationTokenNotRegistered: unregistered
        case .invalidRegistrationToken, .invalidArgument: APIError(.malformed)
        default: fcm(code, "scripted by POST /emulator/v1/scripts")
        }
    }

    static let unregistered = unregistered(platform: nil)

    static func unregistered(platform: FCMPlatformError?) -> APIError {
        fcm(.registrationTokenNotRegistered, "Requested entity was not found.", platform: platform)
    }
}

/// The verdict of a platform's push service on a notification, in a detail of FCM's errors.
struct FCMPlatformError: Hashable, Sendable {
    /// The name of FCM's message for it, such as `ApnsError`.
    let type: String
    /// The service's HTTP status.
    let status: Int
    /// The service's reason.
    let reason: String
}

extension FCMErrorCode {
    /// The status of the response.
    var status: HTTPResponse.Status {
        switch self {
        case .unregistered: .notFound
        case .invalidArgument: .badRequest
        case .senderIDMismatch: .forbidden
        case .quotaExceeded: .tooManyRequests
        case .thirdPartyAuthError: .unauthorized
        case .unavailable: .serviceUnavailable
        case .internal: .internalServerError
        }
    }

    /// The gRPC name of the status.
    var statusName: String {
        switch self {
        case .unregistered: "NOT_FOUND"
        case .invalidArgument: "INVALID_ARGUMENT"
        case .senderIDMismatch: "PERMISSION_DENIED"
        case .quotaExceeded: "RESOURCE_EXHAUSTED"
        case .thirdPartyAuthError: "UNAUTHENTICATED"
        case .unavailable: "UNAVAILABLE"
        case .internal: "INTERNAL"
        }
    }
}
