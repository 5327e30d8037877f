import JSON

/// The errors of [`messages:send`](https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode).
extension GoogleAnswer {
    /// The error for a registration token that is gone.
    package static let unregistered = fcm(404, "NOT_FOUND", "Requested entity was not found.", "UNREGISTERED")
    /// The error for a text that is no registration token.
    package static let invalidToken = fcm(
        400, "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token", "INVALID_ARGUMENT")
    /// The error for a message that is too large.
    package static let tooBig = fcm(400, "INVALID_ARGUMENT", "Android message is too big", "INVALID_ARGUMENT")
    /// The error for a registration token of another sender.
    package static let senderIDMismatch = fcm(403, "PERMISSION_DENIED", "SenderId mismatch", "SENDER_ID_MISMATCH")
    /// The error for an account without the permission to send.
    package static let permissionDenied = error(
        403, "PERMISSION_DENIED", "Permission 'cloudmessaging.messages.create' denied on resource.",
        details: [detail("google.rpc.ErrorInfo", ["reason": "IAM_PERMISSION_DENIED"])])
    /// The error for a failure inside FCM, which allows a retry.
    package static let `internal` = fcm(500, "INTERNAL", "Internal error encountered.", "INTERNAL")
    /// The error for an app's APNs key that Apple refuses.
    package static let thirdPartyAuthError = fcm(
        401, "UNAUTHENTICATED", "Auth error from APNS or Web Push Service", "THIRD_PARTY_AUTH_ERROR",
        apns: ["statusCode": 403, "reason": "InvalidProviderToken"])

    /// Returns the error for a message with an invalid field.
    package static func invalidField(_ field: String) -> GoogleAnswer {
        let violation: JSONValue = ["field": .string(field), "description": "Invalid value"]
        return error(
            400, "INVALID_ARGUMENT", "Invalid value at '\(field)'",
            details: [detail("google.rpc.BadRequest", ["fieldViolations": [violation]])])
    }

    /// Returns the error for a notification that Apple refuses.
    package static func refusedByAPNs(_ status: Int64, _ reason: String) -> GoogleAnswer {
        fcm(
            400, "INVALID_ARGUMENT", "Request contains an invalid argument.", "INVALID_ARGUMENT",
            apns: ["statusCode": .integer(status), "reason": .string(reason)])
    }

    /// Returns the error for an exceeded quota; `retryAfter` in seconds.
    package static func quotaExceeded(retryAfter: Int?) -> GoogleAnswer {
        fcm(429, "RESOURCE_EXHAUSTED", "Quota exceeded.", "QUOTA_EXCEEDED", retryAfter: retryAfter)
    }

    /// Returns the error for an unavailable service; `retryAfter` in seconds.
    package static func unavailable(retryAfter: Int? = nil) -> GoogleAnswer {
        fcm(503, "UNAVAILABLE", "The service is currently unavailable.", "UNAVAILABLE", retryAfter: retryAfter)
    }

    private static func fcm(
        _ code: Int, _ status: String, _ message: String, _ errorCode: String, apns: JSONObject? = nil,
        retryAfter: Int? = nil
    ) -> GoogleAnswer {
        var details = [detail("google.firebase.fcm.v1.FcmError", ["errorCode": .string(errorCode)])]
        if let apns { details.append(detail("google.firebase.fcm.v1.ApnsError", apns)) }
        return error(code, status, message, details: details, retryAfter: retryAfter)
    }
}
