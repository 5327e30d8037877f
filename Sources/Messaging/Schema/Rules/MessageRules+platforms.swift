internal import JSON

extension MessageRules {
    /// FCM keeps a message for four weeks at most.
    private static let maximumTTL: UInt64 = 2_419_200

    // MARK: Android

    mutating func checkAndroid() {
        if message["android"] != nil, message["androidV2"] != nil {
            report("android_v2", "Only one of 'android' and 'android_v2' can be set")
        }
        check(ttl: text("android", "ttl"), field: "android.ttl")
        check(ttl: text("androidV2", "ttl"), field: "android_v2.ttl")
        check(color: text("android", "notification", "color"), field: "android.notification.color")
        check(
            color: text("androidV2", "remoteNotification", "notification", "color"),
            field: "android_v2.remote_notification.notification.color")
    }

    private mutating func check(ttl: String?, field: String) {
        guard let ttl, let duration = try? ProtoDuration(ttl) else { return }
        let isZero = duration.seconds == 0 && duration.nanoseconds == 0
        guard duration.seconds > Self.maximumTTL || duration.isNegative && !isZero else { return }
        report(field, "Invalid ttl: must be from 0 to \(Self.maximumTTL) seconds")
    }

    private mutating func check(color: String?, field: String) {
        guard let color else { return }
        let digits = color.utf8.dropFirst()
        guard color.hasPrefix("#"), digits.count == 6, digits.allSatisfy(\.isHexadecimalDigit) else {
            return report(field, "Invalid color: must have the form #rrggbb")
        }
    }

    // MARK: Browsers

    /// `TTL` is in whole seconds (RFC 8030 §5.2).
    mutating func checkWebpush() {
        for (name, value) in message["webpush"]?["headers"]?.object?.members ?? [] where name.lowercased() == "ttl" {
            let digits = value.string?.utf8
            if digits?.isEmpty == false, digits?.allSatisfy(\.isASCIIDigit) == true { continue }
            report("webpush.headers", "Invalid webpush header 'TTL': must be a whole number of seconds")
        }
        if let link = text("webpush", "fcmOptions", "link"), !link.hasPrefix("https://") {
            report("webpush.fcm_options.link", "Invalid link: must be an HTTPS URL")
        }
    }

    // MARK: All

    mutating func checkAnalyticsLabels() {
        check(label: text("fcmOptions", "analyticsLabel"), field: "fcm_options")
        check(label: text("android", "fcmOptions", "analyticsLabel"), field: "android.fcm_options")
        check(label: text("androidV2", "fcmOptions", "analyticsLabel"), field: "android_v2.fcm_options")
        check(label: text("apns", "fcmOptions", "analyticsLabel"), field: "apns.fcm_options")
        check(label: text("webpush", "fcmOptions", "analyticsLabel"), field: "webpush.fcm_options")
    }

    private mutating func check(label: String?, field: String) {
        guard let label, label.utf8.count > 50 || !label.utf8.allSatisfy(\.isTopicCharacter) else { return }
        report("\(field).analytics_label", "Invalid analytics label: must match ^[a-zA-Z0-9-_.~%]{1,50}$")
    }
}
