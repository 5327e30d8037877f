internal import JSON
internal import Messaging

/// The notifications of a run: pure, from what happened to the message that is sent.
enum RunNotification {
    /// What nobody could be told of for a day is old news.
    static let lifetime = Duration.seconds(24 * 60 * 60)

    /// The titles of an approval's notifications, the first and the reminders.
    private static let approvalTitles = ["Approval needed", "Still waiting", "Reminder"]
    /// The most UTF-16 units of a body's part.
    private static let maximumLength = 240

    /// - Parameter number: 0 for the first, then the reminders.
    static func approval(_ approval: Approval, number: Int, badge: Int64) -> Message {
        message(
            title: approvalTitles[min(number, approvalTitles.count - 1)],
            body: body(approval.repository, approval.prompt),
            data: ["type": "approval", "approval_id": approval.id, "run_id": approval.runID],
            serverID: approval.serverID, collapseID: approval.id, badge: badge)
    }

    static func completed(_ event: RunEvent) -> Message {
        ended("Run completed", event, event.promptPreview)
    }

    static func failed(_ event: RunEvent, error: String?) -> Message {
        ended("Run failed", event, error)
    }

    /// Sets the badge and says nothing.
    static func badge(_ badge: Int64) -> Message {
        Message(
            apns: Message.APNsConfiguration(
                headers: ["apns-push-type": "alert", "apns-priority": "5", "apns-collapse-id": "badge"],
                payload: ["aps": ["badge": .integer(badge)]]))
    }

    private static func ended(_ title: String, _ event: RunEvent, _ text: String?) -> Message {
        message(
            title: title, body: body(event.repository, text), data: ["type": "run", "run_id": event.runID],
            serverID: event.serverID, collapseID: event.runID, badge: nil)
    }

    private static func message(
        title: String, body: String?, data: [String: String], serverID: String?, collapseID: String, badge: Int64?
    ) -> Message {
        var data = data
        data["server_id"] = serverID
        var aps: JSONObject = ["sound": "default"]
        aps["badge"] = badge.map(JSONValue.integer)
        return Message(
            notification: Message.Notification(title: title, body: body), data: data,
            apns: Message.APNsConfiguration(
                headers: [
                    "apns-push-type": "alert", "apns-priority": "10",
                    "apns-collapse-id": collapseID.prefix(utf8Bytes: 64),
                ],
                payload: ["aps": .object(aps)]))
    }

    /// `repo: text`, or what there is of it.
    private static func body(_ repository: String?, _ text: String?) -> String? {
        let parts = [repository, text].compactMap { $0?.shortened(to: maximumLength) }
        return parts.isEmpty ? nil : parts.joined(separator: ": ")
    }
}
