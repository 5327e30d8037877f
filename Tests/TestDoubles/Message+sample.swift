import JSON
package import Messaging

extension Message {
    /// A message with an alert, data and a collapse id.
    package static func sample(body: String = "Sample body") -> Message {
        Message(
            notification: Notification(title: "pushgate", body: body), data: ["type": "test"],
            apns: APNsConfiguration(headers: ["apns-collapse-id": "c1"], payload: ["aps": ["sound": "default"]]))
    }
}
