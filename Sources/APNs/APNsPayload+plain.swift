import JSON
import Messaging
import Texts

/// The payload of a usual message, which is written at once.
extension APNsPayload {
    /// Returns the text of ``object(for:id:identity:)`` for a message without ids for FCM's library; `nil` if it has an
    /// image, a member that is `null`, or own members beside `aps` or in place of the alert. Those may replace others.
    static func plain(_ message: Message, id: String?) -> [UInt8]? {
        let own = message.apns?.payload ?? [:]
        let aps = own["aps"]?.object ?? [:]
        guard own.members.allSatisfy({ $0.name == "aps" }), aps["alert"] == nil,
            !aps.members.contains(where: { $0.value.hasNulls }), image(of: message) == nil,
            message.data.keys.allSatisfy(isPlain)
        else { return nil }
        var writer = JSONWriter(capacity: expectedBytes(message, aps))
        writer.object { writer in
            writer.object("aps") { writer in
                if let notification = message.notification { write(notification, to: &writer) }
                for (name, value) in aps.members { writer.member(name, value) }
            }
            message.data.forEach(inByteOrderOf: { $0 }) { name, text in writer.member(name, .string(text)) }
            writer.member(messageIDKey, id.map(JSONValue.string))
        }
        return writer.bytes
    }

    private static func write(_ notification: Message.Notification, to writer: inout JSONWriter) {
        guard notification.title != nil || notification.body != nil else { return }
        writer.object("alert") { writer in
            writer.member("title", notification.title.map(JSONValue.string))
            writer.member("body", notification.body.map(JSONValue.string))
        }
    }

    /// Returns `true` for the name of a member that is written nowhere else, and whose order is that of its bytes.
    private static func isPlain(_ name: String) -> Bool {
        name != "aps" && name != messageIDKey && name.utf8.allSatisfy { $0 < 0x80 }
    }

    private static func expectedBytes(_ message: Message, _ aps: JSONObject) -> Int {
        // The names of the members, and the id.
        var count = 100 + JSONValue.object(aps).expectedBytes
        if let title = message.notification?.title { count += JSONValue.expectedBytes(ofString: title) }
        if let body = message.notification?.body { count += JSONValue.expectedBytes(ofString: body) }
        return message.data.reduce(count) {
            $0 + $1.key.utf8.count + JSONValue.expectedBytes(ofString: $1.value) + 4
        }
    }
}
