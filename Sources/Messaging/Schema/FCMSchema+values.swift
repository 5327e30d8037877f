/// What several of the messages for Android share.
extension FCMSchema {
    static let androidMessagePriority = ProtoEnum(
        name: "google.firebase.fcm.v1.AndroidMessagePriority", values: ["NORMAL", "HIGH"])

    static let proxy = ProtoEnum(
        name: "google.firebase.fcm.v1.AndroidNotification.Proxy",
        values: ["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"])

    static func notificationPriority(of message: String) -> ProtoEnum {
        ProtoEnum(
            name: "google.firebase.fcm.v1.\(message).NotificationPriority",
            values: [
                "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH",
                "PRIORITY_MAX",
            ])
    }

    static func visibility(of message: String) -> ProtoEnum {
        ProtoEnum(
            name: "google.firebase.fcm.v1.\(message).Visibility",
            values: ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"])
    }

    static func lightSettings(_ name: String) -> ProtoMessage {
        ProtoMessage(
            "google.firebase.fcm.v1.\(name)",
            ["color": .message(color), "light_on_duration": .duration, "light_off_duration": .duration])
    }

    /// Each part from 0 to 1. In the schema `alpha` is a wrapper, which JSON writes like its number.
    static let color = ProtoMessage(
        "google.type.Color",
        ["red": .float, "green": .float, "blue": .float, "alpha": .float])
}
