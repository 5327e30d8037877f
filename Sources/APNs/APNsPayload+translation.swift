internal import JSON
internal import Messaging

/// From FCM's message to Apple's
/// ([Generating a remote notification](https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification)).
extension APNsPayload {
    /// `notification` becomes `aps.alert`, `data` string members beside `aps`, the picture `fcm_options.image`;
    /// `apns.payload` is laid over all of it and wins, `aps` member by member. The ids come last: FCM's library knows its own
    /// messages by them, and every app a delivery that is repeated.
    static func object(for message: Message, id: String? = nil, identity: FCMIdentity? = nil) -> JSONObject {
        let data = message.data.sorted { $0.key < $1.key }
        var members: [(String, JSONValue)] = data.map { ($0.key, .string($0.value)) }
        if let image = image(of: message) { members.append(("fcm_options", ["image": .string(image)])) }
        members += message.apns?.payload.members.map { ($0.name, $0.value) } ?? []
        members.removeAll { $0.0 == "aps" || identity != nil && $0.0 == installationIDKey }
        members += ids(id, identity)
        return JSONObject([("aps", .object(aps(for: message)))] + members)
    }

    static func aps(for message: Message) -> JSONObject {
        var alert: JSONObject = [:]
        alert["title"] = message.notification?.title.map(JSONValue.string)
        alert["body"] = message.notification?.body.map(JSONValue.string)
        let own = message.apns?.payload["aps"]?.object?.members.map { ($0.name, $0.value) } ?? []
        return JSONObject((alert.isEmpty ? [] : [("alert", .object(alert))]) + own)
    }

    /// What is for Apple's devices wins; an empty text is none.
    private static func image(of message: Message) -> String? {
        [message.apns?.fcmOptions?.image, message.notification?.image].lazy.compactMap(\.self).first { !$0.isEmpty }
    }

    /// The same for every target, which the installation's id is not.
    private static func ids(_ id: String?, _ identity: FCMIdentity?) -> [(String, JSONValue)] {
        guard let identity else { return id.map { [("gcm.message_id", .string($0))] } ?? [] }
        return [
            ("gcm.message_id", .string(identity.messageID)), ("google.c.sender.id", .string(identity.senderID)),
            ("google.c.a.e", "1"),
        ]
    }
}
