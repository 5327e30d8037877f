/// An answer that is not 200: an HTTP status and the `reason` of its JSON body.
///
/// The set is open, since Apple adds reasons without notice and a script may answer with any. The constants are those
/// of Apple, "Handling notification responses from APNs", table 3.
public struct APNsRejection: Error, Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The `reason` in the JSON body.
    public let reason: String

    /// Takes any status and reason, also those that Apple does not use.
    public init(status: Int, reason: String) {
        self.status = status
        self.reason = reason
    }
}

extension APNsRejection {
    /// The collapse id exceeds 64 bytes.
    public static let badCollapseID = APNsRejection(status: 400, reason: "BadCollapseId")
    /// No channel has ever had this id.
    public static let badChannelID = APNsRejection(status: 400, reason: "BadChannelId")
    /// The app has as many channels as it may have.
    public static let cannotCreateChannelConfig = APNsRejection(status: 400, reason: "CannotCreateChannelConfig")
    /// The app does not have the capability for broadcasts.
    public static let featureNotEnabled = APNsRejection(status: 400, reason: "FeatureNotEnabled")
    /// `apns-channel-id` is missing.
    public static let missingChannelID = APNsRejection(status: 400, reason: "MissingChannelId")
    /// The push type is missing.
    public static let missingPushType = APNsRejection(status: 400, reason: "MissingPushType")
    /// The channel belongs to another app.
    public static let topicMismatch = APNsRejection(status: 400, reason: "TopicMismatch")
    /// The device token is invalid, or belongs to the other environment.
    public static let badDeviceToken = APNsRejection(status: 400, reason: "BadDeviceToken")
    /// `apns-expiration` is invalid.
    public static let badExpirationDate = APNsRejection(status: 400, reason: "BadExpirationDate")
    /// `apns-id` is invalid.
    public static let badMessageID = APNsRejection(status: 400, reason: "BadMessageId")
    /// `apns-priority` is invalid.
    public static let badPriority = APNsRejection(status: 400, reason: "BadPriority")
    /// `apns-topic` is invalid.
    public static let badTopic = APNsRejection(status: 400, reason: "BadTopic")
    /// The device token belongs to another topic.
    public static let deviceTokenNotForTopic = APNsRejection(status: 400, reason: "DeviceTokenNotForTopic")
    /// A header field is present twice.
    public static let duplicateHeaders = APNsRejection(status: 400, reason: "DuplicateHeaders")
    /// The connection was idle too long.
    public static let idleTimeout = APNsRejection(status: 400, reason: "IdleTimeout")
    /// `apns-push-type` is invalid.
    public static let invalidPushType = APNsRejection(status: 400, reason: "InvalidPushType")
    /// The path has no device token.
    public static let missingDeviceToken = APNsRejection(status: 400, reason: "MissingDeviceToken")
    /// `apns-topic` is missing.
    public static let missingTopic = APNsRejection(status: 400, reason: "MissingTopic")
    /// The payload is empty.
    public static let payloadEmpty = APNsRejection(status: 400, reason: "PayloadEmpty")
    /// Pushing to this topic is not permitted.
    public static let topicDisallowed = APNsRejection(status: 400, reason: "TopicDisallowed")
    /// The provider token is too old.
    public static let expiredProviderToken = APNsRejection(status: 403, reason: "ExpiredProviderToken")
    /// The action is not permitted.
    public static let forbidden = APNsRejection(status: 403, reason: "Forbidden")
    /// The provider token is invalid, or its signature cannot be verified.
    public static let invalidProviderToken = APNsRejection(status: 403, reason: "InvalidProviderToken")
    /// `authorization` is missing, and there is no provider certificate.
    public static let missingProviderToken = APNsRejection(status: 403, reason: "MissingProviderToken")
    /// The path is not `/3/device/<token>`.
    public static let badPath = APNsRejection(status: 404, reason: "BadPath")
    /// The method is not POST.
    public static let methodNotAllowed = APNsRejection(status: 405, reason: "MethodNotAllowed")
    /// The channel was deleted.
    public static let channelNotRegistered = APNsRejection(status: 410, reason: "ChannelNotRegistered")
    /// The device token has expired.
    public static let expiredToken = APNsRejection(status: 410, reason: "ExpiredToken")
    /// The device token is no longer active for the topic.
    public static let unregistered = APNsRejection(status: 410, reason: "Unregistered")
    /// The payload exceeds the limit of its push type.
    public static let payloadTooLarge = APNsRejection(status: 413, reason: "PayloadTooLarge")
    /// The provider token changes more often than once in 20 minutes.
    public static let tooManyProviderTokenUpdates = APNsRejection(status: 429, reason: "TooManyProviderTokenUpdates")
    /// Too many requests for one device token in succession.
    public static let tooManyRequests = APNsRejection(status: 429, reason: "TooManyRequests")
    /// An internal error of the server.
    public static let internalServerError = APNsRejection(status: 500, reason: "InternalServerError")
    /// The service is not available.
    public static let serviceUnavailable = APNsRejection(status: 503, reason: "ServiceUnavailable")
    /// The server is shutting down.
    public static let shutdown = APNsRejection(status: 503, reason: "Shutdown")
}
