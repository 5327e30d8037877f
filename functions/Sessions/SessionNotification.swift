import DocumentStore
import JSON
import Messaging

/// A notice in the two forms in which it is stored for the app and pushed.
struct SessionNotification: Sendable {
    let id = DocumentPath.randomID()
    private let kind: SessionNotice.Kind
    let title: String
    private let body: String
    let report: HookReport
    let deviceName: String

    /// - Parameters:
    ///   - title: The session's title, if it has one.
    ///   - deviceName: The stored name of the machine; a name in the report takes precedence.
    init(_ notice: SessionNotice, of report: HookReport, title: String?, deviceName: String?) {
        kind = notice.kind
        body = notice.body
        self.title = title ?? notice.fallbackTitle
        self.report = report
        self.deviceName = report.device.name ?? deviceName ?? report.device.id
    }

    /// Returns the write of `sessionNotifications/{id}`. Its `createdAt` is the commit's time, so each one is later
    /// than all earlier ones.
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

/// The content of a notification about an event. Most events have none.
struct SessionNotice: Sendable {
    enum Kind: String, Sendable {
        case stop
        case permissionPrompt = "permission_prompt"
        case idlePrompt = "idle_prompt"

        /// `true` if the cool-down does not apply.
        var isUrgent: Bool { self == .permissionPrompt }
    }

    let kind: Kind
    private let event: HookEvent

    init?(_ event: HookEvent) {
        switch (event.name, event.notificationType) {
        case ("Stop", _): kind = .stop
        case ("PermissionRequest", _), ("Notification", Kind.permissionPrompt.rawValue): kind = .permissionPrompt
        case ("Notification", Kind.idlePrompt.rawValue): kind = .idlePrompt
        default: return nil
        }
        self.event = event
    }

    var body: String {
        switch kind {
        case .stop: "Session stopped: \(event.message ?? "No reason given")"
        case .permissionPrompt: permission
        case .idlePrompt: "Session idle: \(event.message ?? "Waiting for input")"
        }
    }

    private var permission: String {
        switch (event.toolName, event.message) {
        case (let tool?, let message?): "Permission required: \(tool) — \(message)"
        case (let part?, nil), (nil, let part?): "Permission required: \(part)"
        case (nil, nil): "A session needs permission to continue"
        }
    }

    /// The title for a session without one.
    var fallbackTitle: String {
        switch kind {
        case .stop: "Session Stopped"
        case .permissionPrompt: "Permission Required"
        case .idlePrompt: "Session Idle"
        }
    }
}
