/// The error codes of FCM's HTTP v1 API.
package enum FCMErrorCode: String, CaseIterable {
    case unregistered = "UNREGISTERED"
    case invalidArgument = "INVALID_ARGUMENT"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
    case unavailable = "UNAVAILABLE"
    case `internal` = "INTERNAL"

    /// Translates a word of the Admin SDKs; those without a code of their own become `INTERNAL`.
    package init(_ code: MessagingErrorCode) {
        self =
            switch code {
            case .registrationTokenNotRegistered: .unregistered
            case .invalidRegistrationToken, .invalidArgument: .invalidArgument
            case .mismatchedCredential: .senderIDMismatch
            case .messageRateExceeded: .quotaExceeded
            case .thirdPartyAuthError: .thirdPartyAuthError
            case .serverUnavailable: .unavailable
            default: .internal
            }
    }

    /// The error of messaging that the code stands for.
    package var code: MessagingErrorCode {
        switch self {
        case .unregistered: .registrationTokenNotRegistered
        case .invalidArgument: .invalidArgument
        case .senderIDMismatch: .mismatchedCredential
        case .quotaExceeded: .messageRateExceeded
        case .thirdPartyAuthError: .thirdPartyAuthError
        case .unavailable: .serverUnavailable
        case .internal: .internalError
        }
    }
}
