import JSON
import Messaging

/// The messages about a run, made from its events without I/O.
enum RunNotification {
    /// The time after which an event is too old to be notified.
    static let lifetime = Duration.seconds(24 * 60 * 60)

    /// The titles of an approval's notifications: the first one, then the reminders.
    private static let approvalTitles = ["Approval needed", "Still waiting", "Reminder"]
    /// The maximum length of each part of a body, in UTF-16 units.
    private static let maximumLength = 240

    /// - Parameter number: 0 for the first notification, then the number of the reminder.
    static func approval(_ approval: Approval, number: Int, badge: Int64) -> Message {
        message(
            title: approvalTitles[min(number, approvalTitles.count - 1)],
            body: body(approval.texts.repository, approval.texts.prompt),
            data: ["type": "approval", "approval_id": approval.id, "run_id": approval.runID],
            serverID: approval.texts.serverID, collapseID: approval.id, badge: badge)
    }

    /// - Parameter badge: The new badge, if approvals of the run were pending.
    static func completed(_ runID: String, _ texts: RunTexts, badge: Int64?) -> Message {
        ended("Run completed", runID, texts, texts.prompt, badge)
    }

    /// - Parameter badge: The badge, as in ``completed(_:_:badge:)``.
    static func failed(_ runID: String, _ texts: RunTexts, error: String?, badge: Int64?) -> Message {
        ended("Run failed", runID, texts, error, badge)
    }

    /// Returns a message that sets the badge without an alert.
    static func badge(_ badge: Int64) -> Message {
        Message(
            apns: Message.APNsConfiguration(
                headers: ["apns-push-type": "alert", "apns-priority": "5", "apns-collapse-id": "badge"],
                payload: ["aps": ["badge": .integer(badge)]]))
    }

    private static func ended(
        _ title: String, _ runID: String, _ texts: RunTexts, _ text: String?, _ badge: Int64?
    ) -> Message {
        message(
            title: title, body: body(texts.repository, text), data: ["type": "run", "run_id": runID],
            serverID: texts.serverID, collapseID: runID, badge: badge)
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
                    "apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": Self.collapseID(collapseID),
                ],
                payload: ["aps": .object(aps)]))
    }

    /// Returns the collapse id of the notifications of an approval, or of the end of a run.
    static func collapseID(_ id: String) -> String { id.prefix(utf8Bytes: 64) }

    /// Returns `repo: text`, or the part that exists.
    private static func body(_ repository: String?, _ text: String?) -> String? {
        let parts = [repository, text].compactMap { $0?.shortened(to: maximumLength) }
        return parts.isEmpty ? nil : parts.joined(separator: ": ")
    }
}
