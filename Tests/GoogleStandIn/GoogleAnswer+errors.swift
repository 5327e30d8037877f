internal import JSON

/// The errors of [`messages:send`](https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode).
extension GoogleAnswer {
    public static let unregistered = fcm(404, "NOT_FOUND", "Requested entity was not found.", "UNREGISTERED")
    public static let invalidToken = fcm(
        400, "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token", "INVALID_ARGUMENT")
    public static let tooBig = fcm(400, "INVALID_ARGUMENT", "Android message is too big", "INVALID_ARGUMENT")
    public static let senderIDMismatch = fcm(403, "PERMISSION_DENIED", "SenderId mismatch", "SENDER_ID_MISMATCH")
    public static let permissionDenied = error(
        403, "PERMISSION_DENIED", "Permission 'cloudmessaging.messages.create' denied on resource.",
        details: [detail("google.rpc.ErrorInfo", ["reason": "IAM_PERMISSION_DENIED"])])
    public static let `internal` = fcm(500, "INTERNAL", "Internal error encountered.", "INTERNAL")
    public static let thirdPartyAuthError = fcm(
        401, "UNAUTHENTICATED", "Auth error from APNS or Web Push Service", "THIRD_PARTY_AUTH_ERROR",
        apns: ["statusCode": 403, "reason": "InvalidProviderToken"])

    public static func invalidField(_ field: String) -> GoogleAnswer {
        let violation: JSONValue = ["field": .string(field), "description": "Invalid value"]
        return error(
            400, "INVALID_ARGUMENT", "Invalid value at '\(field)'",
            details: [detail("google.rpc.BadRequest", ["fieldViolations": [violation]])])
    }

    /// What Apple says when it refuses the notification.
    public static func refusedByAPNs(_ status: Int64, _ reason: String) -> GoogleAnswer {
        fcm(
            400, "INVALID_ARGUMENT", "Request contains an invalid argument.", "INVALID_ARGUMENT",
            apns: ["statusCode": .integer(status), "reason": .string(reason)])
    }

    public static func quotaExceeded(retryAfter: Int?) -> GoogleAnswer {
        fcm(429, "RESOURCE_EXHAUSTED", "Quota exceeded.", "QUOTA_EXCEEDED", retryAfter: retryAfter)
    }

    public static func unavailable(retryAfter: Int? = nil) -> GoogleAnswer {
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
