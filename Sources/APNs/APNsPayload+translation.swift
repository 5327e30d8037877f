internal import JSON
internal import Messaging

/// From FCM's message to Apple's
/// ([Generating a remote notification](https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification)).
extension APNsPayload {
    /// `notification` becomes `aps.alert`, `data` string members beside `aps`, the picture `fcm_options.image`;
    /// `apns.payload` is laid over all of it and wins, `aps` member by member. The ids come last: FCM's library knows its own
    /// messages by them, and every app a delivery that is repeated.
    static func object(for message: Message, id: String? = nil, identity: FCMIdentity? = nil) -> JSONObject {
        let own = message.apns?.payload ?? [:]
        var members: [(name: String, value: JSONValue)] = []
        members.reserveCapacity(message.data.count + own.count + 5)
        for (name, text) in message.data { members.append((name, .string(text))) }
        members.sort { $0.name < $1.name }
        if let image = image(of: message) { members.append(("fcm_options", ["image": .string(image)])) }
        members += own.members
        members.removeAll { $0.name == "aps" || identity != nil && $0.name == installationIDKey }
        members.insert(("aps", .object(aps(for: message))), at: 0)
        addIDs(id, identity, to: &members)
        return JSONObject(members)
    }

    static func aps(for message: Message) -> JSONObject {
        var alert: JSONObject = [:]
        alert["title"] = message.notification?.title.map(JSONValue.string)
        alert["body"] = message.notification?.body.map(JSONValue.string)
        var aps = JSONObject()
        let own = message.apns?.payload["aps"]?.object ?? [:]
        aps.reserveCapacity(own.count + 1)
        if !alert.isEmpty { aps["alert"] = .object(alert) }
        for (name, value) in own.members { aps[name] = value }
        return aps
    }

    /// What is for Apple's devices wins; an empty text is none.
    private static func image(of message: Message) -> String? {
        [message.apns?.fcmOptions?.image, message.notification?.image].lazy.compactMap(\.self).first { !$0.isEmpty }
    }

    /// The same for every target, which the installation's id is not.
    private static func addIDs(
        _ id: String?, _ identity: FCMIdentity?, to members: inout [(name: String, value: JSONValue)]
    ) {
        if let identity {
            members.append(("gcm.message_id", .string(identity.messageID)))
            members.append(("google.c.sender.id", .string(identity.senderID)))
            members.append(("google.c.a.e", "1"))
        } else if let id {
            members.append(("gcm.message_id", .string(id)))
        }
    }
}
