/// The request of FCM's `projects.messages.send`, version 1
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
