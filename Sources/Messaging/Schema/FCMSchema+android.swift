/// What the request has for Android, in both of its forms.
extension FCMSchema {
    static let androidConfig = ProtoMessage(
        "google.firebase.fcm.v1.AndroidConfig",
        [
            "collapse_key": .string,
            "priority": .enumeration(androidMessagePriority),
            "ttl": .duration,
            "restricted_package_name": .string,
            "data": .strings,
            "notification": .message(androidNotification),
            "fcm_options": .message(androidFcmOptions),
            "direct_boot_ok": .bool,
            "bandwidth_constrained_ok": .bool,
            "restricted_satellite_ok": .bool,
        ])

    static let androidNotification = ProtoMessage(
        "google.firebase.fcm.v1.AndroidNotification",
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
            "notification_priority": .enumeration(notificationPriority(of: "AndroidNotification")),
            "default_sound": .bool,
            "default_vibrate_timings": .bool,
            "default_light_settings": .bool,
            "vibrate_timings": .list(.duration),
            "visibility": .enumeration(visibility(of: "AndroidNotification")),
            "notification_count": .int32,
            "light_settings": .message(lightSettings("LightSettings")),
            "image": .string,
            "bypass_proxy_notification": .bool,
            "proxy": .enumeration(proxy),
        ])

    static let androidFcmOptions = ProtoMessage(
        "google.firebase.fcm.v1.AndroidFcmOptions",
        ["analytics_label": .string])

    // MARK: The second form

    static let androidConfigV2 = ProtoMessage(
        "google.firebase.fcm.v1.AndroidConfigV2",
        [
            "collapse_key": .string,
            "ttl": .duration,
            "restricted_package_name": .string,
            "data": .strings,
            "fcm_options": .message(androidFcmOptions),
            "direct_boot_ok": .bool,
            "bandwidth_constrained_ok": .bool,
            "restricted_satellite_ok": .bool,
            "remote_notification": .message(androidRemoteNotification),
            "background_sync": .message(androidBackgroundSyncMessage),
        ])

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
        [
            "title": .string,
            "body": .string,
            "icon": .string,
            "color": .string,
            "sound": .string,
            "tag": .string,
            "id": .int32,
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
            "notification_priority": .enumeration(notificationPriority(of: "AndroidNotificationV2")),
            "default_sound": .bool,
            "default_vibrate_timings": .bool,
            "default_light_settings": .bool,
            "vibrate_timings": .list(.duration),
            "visibility": .enumeration(visibility(of: "AndroidNotificationV2")),
            "notification_count": .int32,
            "light_settings": .message(lightSettings("AndroidNotificationV2.LightSettings")),
            "image": .string,
        ])
}
