import GoogleStandIn
import Messaging
import Testing

/// One of FCM's errors and the transport's outcome for it.
struct ErrorRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: GoogleAnswer
    let outcome: Outcome

    private init(_ description: String, _ answer: GoogleAnswer, _ outcome: Outcome) {
        testDescription = description
        self.answer = answer
        self.outcome = outcome
    }

    static let all: [ErrorRow] = [
        ErrorRow(
            "404 UNREGISTERED", .unregistered,
            rejected(.registrationTokenNotRegistered, "UNREGISTERED", .unregistered(since: nil))),
        ErrorRow(
            "400 INVALID_ARGUMENT, the token", .invalidToken,
            rejected(.invalidArgument, "INVALID_ARGUMENT")),
        ErrorRow("400 INVALID_ARGUMENT, the size", .tooBig, rejected(.invalidArgument, "INVALID_ARGUMENT")),
        ErrorRow(
            "400 INVALID_ARGUMENT, a field", .invalidField("message.data[0].value"),
            rejected(.invalidArgument, "INVALID_ARGUMENT (message.data[0].value)")),
        ErrorRow(
            "403 SENDER_ID_MISMATCH", .senderIDMismatch, rejected(.mismatchedCredential, "SENDER_ID_MISMATCH")),
        ErrorRow(
            "403 without permission", .permissionDenied,
            failed(.thirdPartyAuthError, "PERMISSION_DENIED", laneFailure: .refused)),
        ErrorRow(
            "429 QUOTA_EXCEEDED", .quotaExceeded(retryAfter: 17),
            failed(.messageRateExceeded, "QUOTA_EXCEEDED", .seconds(17))),
        ErrorRow(
            "401 THIRD_PARTY_AUTH_ERROR", .thirdPartyAuthError,
            failed(.thirdPartyAuthError, "THIRD_PARTY_AUTH_ERROR (InvalidProviderToken)")),
        ErrorRow("500 INTERNAL", .internal, failed(.internalError, "INTERNAL")),
        ErrorRow("503 UNAVAILABLE", .unavailable(), failed(.serverUnavailable, "UNAVAILABLE")),
        ErrorRow(
            "503 UNAVAILABLE, not before", .unavailable(retryAfter: 5),
            failed(.serverUnavailable, "UNAVAILABLE", .seconds(5))),
    ]

    private static func rejected(_ code: MessagingErrorCode, _ reason: String, _ invalidation: TokenInvalidation? = nil)
        -> Outcome
    {
        .rejected(Rejection(code: code, reason: reason, invalidation: invalidation))
    }

    private static func failed(
        _ code: MessagingErrorCode, _ reason: String, _ retryAfter: Duration? = nil, laneFailure: LaneFailure? = nil
    ) -> Outcome {
        .failed(Failure(code: code, reason: reason, retryAfter: retryAfter, laneFailure: laneFailure))
    }
}
