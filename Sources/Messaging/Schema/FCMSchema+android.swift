/// What the request has for Android, in both of its forms.
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

/// What both forms have.
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

    /// - Parameters:
    ///   - message: whose fields they are, which the names of its enumerations have in them.
    ///   - lightSettings: what the message of that field is called.
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
