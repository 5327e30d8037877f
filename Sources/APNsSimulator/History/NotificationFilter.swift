/// A filter for received notifications. A notification matches if it has every value that is set here.
public struct NotificationFilter: Hashable, Sendable {
    /// A device token, in upper or lower case.
    public var token: String? { didSet { token = token?.lowercased() } }
    /// A value of `apns-topic`.
    public var topic: String?
    /// A value of `apns-push-type`.
    public var pushType: String?
    /// A value of `apns-collapse-id`.
    public var collapseID: String?
    /// The `apns-id` of the answer.
    public var apnsID: String?
    /// The HTTP status of the answer: 200 for accepted notifications.
    public var status: Int?

    /// The filter that every notification matches.
    public static let all = NotificationFilter()

    /// Creates a filter. `nil` matches any value.
    public init(
        token: String? = nil, topic: String? = nil, pushType: String? = nil, collapseID: String? = nil,
        apnsID: String? = nil, status: Int? = nil
    ) {
        self.token = token?.lowercased()
        self.topic = topic
        self.pushType = pushType
        self.collapseID = collapseID
        self.apnsID = apnsID
        self.status = status
    }

    /// Returns `true` if the notification has every value that is set.
    public func matches(_ notification: ReceivedNotification) -> Bool {
        (token == nil || token == notification.token)
            && (status == nil || status == notification.status)
            && (apnsID == nil || apnsID == notification.apnsID)
            && (topic == nil || topic == notification.topic)
            && (pushType == nil || pushType == notification.pushType)
            && (collapseID == nil || collapseID == notification.collapseID)
    }
}
