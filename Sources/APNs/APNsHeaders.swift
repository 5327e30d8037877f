internal import HTTPTypes
internal import JSON
internal import Messaging

/// The header fields of a request to APNs.
///
/// [Sending notification requests](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns)
enum APNsHeaders {
    static let id = HTTPField.Name("apns-id")

    private static let ofEachRequest = ["apns-id", "authorization"]

    /// What is the same for all targets of a message. The message's own headers win; `apns-expiration`, `apns-priority`,
    /// `apns-push-type` and `apns-topic` are always there, and what each request has for itself never is.
    static func common(for message: OutgoingMessage, topic: String) -> [(name: String, value: String)] {
        var headers: [String: String] = [:]
        for (name, value) in message.message.apns?.headers ?? [:] { headers[name.lowercased()] = value }
        for name in ofEachRequest { headers[name] = nil }
        let pushType = headers["apns-push-type"] ?? impliedPushType(of: message.message)
        let defaults = [
            "apns-topic": topic,
            "apns-push-type": pushType,
            "apns-priority": pushType == "background" ? "5" : "10",
            "apns-expiration": String(message.expiration),
        ]
        headers.merge(defaults) { own, _ in own }
        return headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// `background` for a payload that only wakes the app, else `alert`.
    private static func impliedPushType(of message: Message) -> String {
        let aps = APNsPayload.object(for: message)["aps"]?.object ?? [:]
        let wakesOnly = aps["content-available"] == 1 && ["alert", "sound", "badge"].allSatisfy { aps[$0] == nil }
        return wakesOnly ? "background" : "alert"
    }
}
