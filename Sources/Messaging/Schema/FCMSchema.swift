/// The schema of a request to FCM's `projects.messages.send`, version 1
/// ([reference](https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send)).
enum FCMSchema {
    static let sendRequest = ProtoMessage(
        "google.firebase.fcm.v1.SendMessageRequest",
        ["message": .message(message), "validate_only": .bool])

    static let message = ProtoMessage(
        "google.firebase.fcm.v1.Message",
        [
            "name": .string,
            "data": .strings,
            "notification": .message(notification),
            "android": .message(androidConfig),
            "android_v2": .message(androidConfigV2),
            "webpush": .message(webpushConfig),
            "apns": .message(apnsConfig),
            "fcm_options": .message(fcmOptions),
            "fid": .string,
            "token": .string,
            "topic": .string,
            "condition": .string,
        ],
        oneofs: ["target": ["fid", "token", "topic", "condition"]])

    static let notification = ProtoMessage(
        "google.firebase.fcm.v1.Notification",
        ["title": .string, "body": .string, "image": .string])

    static let fcmOptions = ProtoMessage(
        "google.firebase.fcm.v1.FcmOptions",
        ["analytics_label": .string])

    // MARK: Apple

    static let apnsConfig = ProtoMessage(
        "google.firebase.fcm.v1.ApnsConfig",
        [
            "headers": .strings,
            "payload": .structure,
            "fcm_options": .message(apnsFcmOptions),
            "live_activity_token": .string,
        ])

    static let apnsFcmOptions = ProtoMessage(
        "google.firebase.fcm.v1.ApnsFcmOptions",
        ["analytics_label": .string, "image": .string])

    // MARK: Browsers

    static let webpushConfig = ProtoMessage(
        "google.firebase.fcm.v1.WebpushConfig",
        [
            "headers": .strings,
            "data": .strings,
            "notification": .structure,
            "fcm_options": .message(webpushFcmOptions),
        ])

    static let webpushFcmOptions = ProtoMessage(
        "google.firebase.fcm.v1.WebpushFcmOptions",
        ["link": .string, "analytics_label": .string])
}

/// The fields for Android, in both of their forms.
extension FCMSchema {
    static let androidConfig = ProtoMessage(
        "google.firebase.fcm.v1.AndroidConfig",
        [
            "priority": .enumeration(androidMessagePriority),
            "notification": .message(androidNotification),
        ],
        and: androidDelivery)

    static let androidNotification = ProtoMessage(
        "google.firebase.fcm.v1.AndroidNotification",
        [
            "bypass_proxy_notification": .bool,
            "proxy": .enumeration(proxy),
        ],
        and: notificationFields(of: "AndroidNotification", lightSettings: "LightSettings"))

    static let androidFcmOptions = ProtoMessage(
        "google.firebase.fcm.v1.AndroidFcmOptions",
        ["analytics_label": .string])

    // MARK: The second form

    static let androidConfigV2 = ProtoMessage(
        "google.firebase.fcm.v1.AndroidConfigV2",
        [
            "remote_notification": .message(androidRemoteNotification),
            "background_sync": .message(androidBackgroundSyncMessage),
        ],
        and: androidDelivery)

    static let androidRemoteNotification = ProtoMessage(
        "google.firebase.fcm.v1.AndroidRemoteNotification",
        [
            "notification": .message(androidNotificationV2),
            "mutable_content": .bool,
            "use_as_v1_data_message": .bool,
        ])

    static let androidBackgroundSyncMessage = ProtoMessage(
        "google.firebase.fcm.v1.AndroidBackgroundSyncMessage", [:])

    static let androidNotificationV2 = ProtoMessage(
        "google.firebase.fcm.v1.AndroidNotificationV2",
        ["id": .int32],
        and: notificationFields(
            of: "AndroidNotificationV2", lightSettings: "AndroidNotificationV2.LightSettings"))
}

/// The fields that both forms share.
extension FCMSchema {
    private static let androidDelivery: KeyValuePairs<String, ProtoKind> = [
        "collapse_key": .string,
        "ttl": .duration,
        "restricted_package_name": .string,
        "data": .strings,
        "fcm_options": .message(androidFcmOptions),
        "direct_boot_ok": .bool,
        "bandwidth_constrained_ok": .bool,
        "restricted_satellite_ok": .bool,
    ]

    /// Returns the fields of a notification for Android.
    ///
    /// - Parameters:
    ///   - message: the message that has the fields; the names of its enumerations contain it.
    ///   - lightSettings: the name of the message in the field `light_settings`.
    private static func notificationFields(
        of message: String, lightSettings: String
    ) -> KeyValuePairs<String, ProtoKind> {
        [
            "title": .string,
            "body": .string,
            "icon": .string,
            "color": .string,
            "sound": .string,
            "tag": .string,
            "click_action": .string,
            "body_loc_key": .string,
            "body_loc_args": .list(.string),
            "title_loc_key": .string,
            "title_loc_args": .list(.string),
            "channel_id": .string,
            "ticker": .string,
            "sticky": .bool,
            "event_time": .timestamp,
            "local_only": .bool,
            "notification_priority": .enumeration(notificationPriority(of: message)),
            "default_sound": .bool,
            "default_vibrate_timings": .bool,
            "default_light_settings": .bool,
            "vibrate_timings": .list(.duration),
            "visibility": .enumeration(visibility(of: message)),
            "notification_count": .int32,
            "light_settings": .message(self.lightSettings(lightSettings)),
            "image": .string,
        ]
    }
}

/// The types that several messages for Android share.
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

    /// Each component is from 0 to 1. In the schema `alpha` is a wrapper, which JSON writes as its number.
    static let color = ProtoMessage(
        "google.type.Color",
        ["red": .float, "green": .float, "blue": .float, "alpha": .float])
}
