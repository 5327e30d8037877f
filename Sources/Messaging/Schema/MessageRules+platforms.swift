import JSON
import Texts

extension MessageRules {
    /// The maximum lifetime in seconds: FCM keeps a message for at most four weeks.
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
        guard color.hasPrefix("#"), digits.count == 6, digits.allSatisfy(\.isASCIIHexDigit) else {
            return report(field, "Invalid color: must have the form #rrggbb")
        }
    }

    // MARK: Browsers

    /// Checks the part for browsers. `TTL` is in whole seconds (RFC 8030 §5.2).
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

    // MARK: All platforms

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

extension MessageRules {
    mutating func checkAPNs() {
        checkAPNsHeaders()
        if let aps = message["apns"]?["payload"]?["aps"], aps.object == nil {
            report("apns.payload.aps", "Invalid APNs payload: 'aps' must be an object")
        }
        if let token = text("apns", "liveActivityToken") { checkLiveActivity(RegistrationToken(token)) }
    }

    /// Checks a Live Activity's token. It stands for one device, so the message cannot have subscribers as its
    /// target.
    private mutating func checkLiveActivity(_ token: RegistrationToken) {
        let field = "apns.live_activity_token"
        if !token.isHexadecimal { report(field, "Invalid live activity token: must be hexadecimal digits") }
        if isForSubscribers { report(field, "A live activity token cannot be sent to a topic or condition") }
        let pushType = Message(json: message).apns?.header("apns-push-type")
        if let pushType, pushType != "liveactivity" {
            report(field, "With a live activity token the header 'apns-push-type' must be liveactivity")
        }
    }

    private mutating func checkAPNsHeaders() {
        var names: Set<String> = []
        for (name, value) in message["apns"]?["headers"]?.object?.members ?? [] {
            guard name.utf8.allSatisfy(\.isHTTPToken), !name.isEmpty else {
                report("apns.headers", "Invalid APNs header name: \(JSONValue.string(name).echo)")
                continue
            }
            let name = name.lowercased()
            if !names.insert(name).inserted { reportHeader(name, "is given more than once") }
            if let value = value.string { checkHeader(name, value) }
        }
    }

    private mutating func checkHeader(_ name: String, _ value: String) {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return reportHeader(name, "must have no control characters")
        }
        if let rule = APNsHeaderRule.all[name], !rule.holds(value) { reportHeader(name, rule.text) }
    }

    private mutating func reportHeader(_ name: String, _ problem: String) {
        report("apns.headers", "Invalid APNs header '\(name)': \(problem)")
    }
}

/// A rule for the value of one of Apple's header fields
/// ([Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns)).
struct APNsHeaderRule: Sendable {
    let text: String
    let holds: @Sendable (String) -> Bool

    /// The rules by the field's name. Other fields are not checked.
    static let all: [String: APNsHeaderRule] = [
        "apns-priority": APNsHeaderRule(text: "must be 1, 5 or 10") { ["1", "5", "10"].contains($0) },
        "apns-expiration": APNsHeaderRule(text: "must be a whole number of seconds since 1970", holds: isExpiration),
        "apns-push-type": APNsHeaderRule(text: "must be one of \(pushTypes.joined(separator: ", "))") {
            pushTypes.contains($0)
        },
        "apns-collapse-id": APNsHeaderRule(text: "must have 1 to 64 bytes") { (1...64).contains($0.utf8.count) },
        "apns-topic": APNsHeaderRule(text: "must be a bundle id, perhaps with a suffix", holds: isTopic),
        "apns-id": APNsHeaderRule(text: "must be a UUID", holds: isUUID),
    ]

    private static let pushTypes = [
        "alert", "background", "liveactivity", "voip", "complication", "fileprovider", "mdm", "location", "pushtotalk",
        "widgets", "controls",
    ]

    /// The last second of the year 9999, the end of protocol buffers' timestamps.
    private static let lastSecond: Int64 = 253_402_300_799

    /// Returns `true` for a time up to the year 9999. A later one is in milliseconds.
    @Sendable
    private static func isExpiration(_ text: String) -> Bool {
        text.utf8.allSatisfy(\.isASCIIDigit) && Int64(text).map { $0 <= lastSecond } ?? false
    }

    @Sendable
    private static func isTopic(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-.".utf8.contains($0) }
    }

    /// Returns `true` for 8-4-4-4-12 hexadecimal digits.
    @Sendable
    private static func isUUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && groups.allSatisfy { $0.utf8.allSatisfy(\.isASCIIHexDigit) }
    }
}
