internal import DocumentStore
internal import JSON
internal import Messaging

/// A notice as it is kept for the app to read, and as it is pushed.
struct SessionNotification: Sendable {
    let id = DocumentPath.randomID()
    private let kind: SessionNotice.Kind
    let title: String
    private let body: String
    let report: HookReport
    let deviceName: String

    /// - Parameters:
    ///   - title: the session's, if it has one.
    ///   - deviceName: the machine's, as it was last heard; what the report says wins.
    init(_ notice: SessionNotice, of report: HookReport, title: String?, deviceName: String?) {
        kind = notice.kind
        body = notice.body
        self.title = title ?? notice.fallbackTitle
        self.report = report
        self.deviceName = report.device.name ?? deviceName ?? report.device.id
    }

    /// `sessionNotifications/{id}`; that `createdAt` is the commit's time makes every one later than those before it.
    func write() throws(StoreError) -> Write {
        .set(
            try SessionsDocuments.notification(id),
            [
                Field.sessionID: .string(report.event.sessionID), Field.deviceID: .string(report.device.id),
                Field.title: .string(title), Field.body: .string(body),
                Field.kind: .string(kind.rawValue), Field.isAcknowledged: .boolean(false),
            ], transforms: [FieldTransform(FieldPath(Field.createdAt), .serverTime)],
            precondition: .exists(false))
    }

    enum Field {
        static let sessionID = "sessionId"
        static let deviceID = "deviceId"
        static let title = "title"
        static let body = "body"
        static let kind = "type"
        static let createdAt = "createdAt"
        static let isAcknowledged = "acknowledged"
    }

    var message: Message {
        Message(
            notification: Message.Notification(title: title, body: body),
            data: [
                "notification_id": id, "session_id": report.event.sessionID, "device_id": report.device.id,
                "event_type": report.event.name, "device_name": deviceName,
            ],
            apns: Message.APNsConfiguration(
                headers: [
                    "apns-push-type": "alert", "apns-priority": "10",
                    "apns-collapse-id": report.event.sessionID.prefix(utf8Bytes: 64),
                ],
                payload: ["aps": ["sound": "default", "content-available": 1]]))
    }
}
