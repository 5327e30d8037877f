/// An answer that is not 200: an HTTP status and the `reason` of its JSON body.
///
/// The set is open, since Apple adds reasons without notice and a script may answer with any. The constants are those
/// of Apple, "Handling notification responses from APNs", table 3.
public struct Rejection: Error, Hashable, Sendable {
    public let status: Int
    public let reason: String

    public init(status: Int, reason: String) {
        self.status = status
        self.reason = reason
    }
}

extension Rejection {
    public static let badCollapseID = Rejection(status: 400, reason: "BadCollapseId")
    public static let badDeviceToken = Rejection(status: 400, reason: "BadDeviceToken")
    public static let badExpirationDate = Rejection(status: 400, reason: "BadExpirationDate")
    public static let badMessageID = Rejection(status: 400, reason: "BadMessageId")
    public static let badPriority = Rejection(status: 400, reason: "BadPriority")
    public static let badTopic = Rejection(status: 400, reason: "BadTopic")
    public static let deviceTokenNotForTopic = Rejection(status: 400, reason: "DeviceTokenNotForTopic")
    public static let duplicateHeaders = Rejection(status: 400, reason: "DuplicateHeaders")
    public static let idleTimeout = Rejection(status: 400, reason: "IdleTimeout")
    public static let invalidPushType = Rejection(status: 400, reason: "InvalidPushType")
    public static let missingDeviceToken = Rejection(status: 400, reason: "MissingDeviceToken")
    public static let missingTopic = Rejection(status: 400, reason: "MissingTopic")
    public static let payloadEmpty = Rejection(status: 400, reason: "PayloadEmpty")
    public static let topicDisallowed = Rejection(status: 400, reason: "TopicDisallowed")
    public static let expiredProviderToken = Rejection(status: 403, reason: "ExpiredProviderToken")
    public static let forbidden = Rejection(status: 403, reason: "Forbidden")
    public static let invalidProviderToken = Rejection(status: 403, reason: "InvalidProviderToken")
    public static let missingProviderToken = Rejection(status: 403, reason: "MissingProviderToken")
    public static let badPath = Rejection(status: 404, reason: "BadPath")
    public static let methodNotAllowed = Rejection(status: 405, reason: "MethodNotAllowed")
    public static let expiredToken = Rejection(status: 410, reason: "ExpiredToken")
    public static let unregistered = Rejection(status: 410, reason: "Unregistered")
    public static let payloadTooLarge = Rejection(status: 413, reason: "PayloadTooLarge")
    public static let tooManyProviderTokenUpdates = Rejection(status: 429, reason: "TooManyProviderTokenUpdates")
    public static let tooManyRequests = Rejection(status: 429, reason: "TooManyRequests")
    public static let internalServerError = Rejection(status: 500, reason: "InternalServerError")
    public static let serviceUnavailable = Rejection(status: 503, reason: "ServiceUnavailable")
    public static let shutdown = Rejection(status: 503, reason: "Shutdown")
}
