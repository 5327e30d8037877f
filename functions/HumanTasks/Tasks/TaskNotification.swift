import JSON
import Messaging

/// The notifications for the device that created a task, which turn events into messages without I/O.
enum TaskNotification {
    /// The time after which an event is too old to be notified.
    static let lifetime = Duration.seconds(7 * 24 * 60 * 60)

    /// - Parameter name: The name of the person who completed the task, for a task without a named recipient.
    static func completed(_ task: HumanTask, by name: String? = nil) -> Message {
        let name = task.request.recipient ?? name ?? task.request.recipientName
        let body =
            switch task.photoCount {
            case 0: "\(name) completed your request"
            case 1: "\(name) sent 1 photo"
            case let count: "\(name) sent \(count) photos"
            }
        return message("HIT Completed", body, task)
    }

    static func answered(_ task: HumanTask, by name: String) -> Message {
        switch task.request.kind {
        case .groupPoll: message("New Group Poll Vote", "\(name) voted in your group poll", task)
        case .availability: message("New Availability Response", "\(name) responded to your availability poll", task)
        case .photo, .poll, .question: message("HIT Response", "\(name) responded to your request", task)
        }
    }

    private static func message(_ title: String, _ body: String, _ task: HumanTask) -> Message {
        Message(
            notification: Message.Notification(title: title, body: body), data: ["hit_id": task.id],
            apns: Message.APNsConfiguration(
                headers: ["apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": task.id],
                payload: ["aps": ["sound": "default"]]))
    }
}
