internal import JSON
internal import Messaging

/// What the device that asked is told: pure, from what happened to the message that is sent.
enum HitNotification {
    /// What nobody could be told of for a week is old news.
    static let lifetime = Duration.seconds(7 * 24 * 60 * 60)

    /// - Parameter name: of the person who completed it, for a task that names nobody.
    static func completed(_ hit: Hit, by name: String? = nil) -> Message {
        let name = hit.request.recipient ?? name ?? hit.request.recipientName
        let body =
            switch hit.photoCount {
            case 0: "\(name) completed your request"
            case 1: "\(name) sent 1 photo"
            case let count: "\(name) sent \(count) photos"
            }
        return message("HIT Completed", body, hit)
    }

    static func responded(_ hit: Hit, by name: String) -> Message {
        switch hit.request.kind {
        case .groupPoll: message("New Group Poll Vote", "\(name) voted in your group poll", hit)
        case .availability: message("New Availability Response", "\(name) responded to your availability poll", hit)
        case .photo, .poll, .question: message("HIT Response", "\(name) responded to your request", hit)
        }
    }

    private static func message(_ title: String, _ body: String, _ hit: Hit) -> Message {
        Message(
            notification: Message.Notification(title: title, body: body), data: ["hit_id": hit.id],
            apns: Message.APNsConfiguration(
                headers: ["apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": hit.id],
                payload: ["aps": ["sound": "default"]]))
    }
}
