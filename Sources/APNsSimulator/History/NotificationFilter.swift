/// Which notifications are asked for: those for which everything that is set here is so.
public struct NotificationFilter: Hashable, Sendable {
    /// A device token; letters count the same in both cases.
    public var token: String? { didSet { token = token?.lowercased() } }
    public var topic: String?
    /// A value of `apns-push-type`.
    public var pushType: String?
    public var collapseID: String?
    public var apnsID: String?
    /// The status of the answer: 200 for what was accepted.
    public var status: Int?

    public static let all = NotificationFilter()

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

    public func matches(_ notification: ReceivedNotification) -> Bool {
        (token == nil || token == notification.token)
            && (status == nil || status == notification.status)
            && (apnsID == nil || apnsID == notification.apnsID)
            && (topic == nil || topic == notification.topic)
            && (pushType == nil || pushType == notification.pushType)
            && (collapseID == nil || collapseID == notification.collapseID)
    }
}
