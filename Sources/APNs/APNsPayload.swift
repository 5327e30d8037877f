internal import JSON
internal import Messaging

/// What a device receives: FCM's message in Apple's form.
///
/// `notification` becomes `aps.alert`, `data` string members beside `aps`, and `apns.payload` is laid over both and
/// wins. [Generating a remote notification](https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification)
struct APNsPayload: Hashable, Sendable {
    /// The most bytes APNs takes.
    static let maximumSize = 4_096

    /// Compact UTF-8 JSON.
    let bytes: [UInt8]

    /// - Returns: nil when it does not fit even with an empty body.
    init?(_ message: Message) {
        var object = Self.object(for: message)
        var bytes = JSONValue.object(object).serialized
        if bytes.count > Self.maximumSize {
            guard Self.shortenBody(of: &object, by: bytes.count - Self.maximumSize) else { return nil }
            bytes = JSONValue.object(object).serialized
        }
        self.bytes = bytes
    }

    static func object(for message: Message) -> JSONObject {
        var object: JSONObject = ["aps": .object(aps(for: message))]
        for (name, value) in message.data.sorted(by: { $0.key < $1.key }) { object[name] = .string(value) }
        for (name, value) in message.apns?.payload.members ?? [] where name != "aps" { object[name] = value }
        return object
    }

    private static func aps(for message: Message) -> JSONObject {
        var aps: JSONObject = [:]
        if let notification = message.notification {
            var alert: JSONObject = [:]
            alert["title"] = notification.title.map(JSONValue.string)
            alert["body"] = notification.body.map(JSONValue.string)
            aps["alert"] = .object(alert)
        }
        for (name, value) in message.apns?.payload["aps"]?.object?.members ?? [] { aps[name] = value }
        return aps
    }

    /// Cuts characters off the end of the alert's body, and puts an ellipsis there, until the JSON is shorter by that
    /// many bytes.
    ///
    /// - Returns: false when the body is too short for that.
    private static func shortenBody(of object: inout JSONObject, by excess: Int) -> Bool {
        guard var aps = object["aps"]?.object, var alert = aps["alert"]?.object, var body = alert["body"]?.string
        else { return false }
        var saved = -"…".utf8.count
        while saved < excess {
            guard let last = body.popLast() else { return false }
            saved += JSONValue.string(String(last)).serialized.count - 2
        }
        alert["body"] = .string(body + "…")
        aps["alert"] = .object(alert)
        object["aps"] = .object(aps)
        return true
    }
}
