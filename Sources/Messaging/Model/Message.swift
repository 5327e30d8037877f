package import DocumentStore
package import JSON

/// The content of a notification, without its target: the content fields of FCM's
/// [`Message`](https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
package struct Message: Hashable, Sendable {
    /// FCM's `notification`: the alert in the form that every platform understands.
    package struct Notification: Hashable, Sendable {
        /// The title of the alert.
        package var title: String?
        /// The text of the alert.
        package var body: String?
        /// The URL of an image, which the app downloads.
        package var image: String?

        package init(title: String? = nil, body: String? = nil, image: String? = nil) {
            self.title = title
            self.body = body
            self.image = image
        }
    }

    /// FCM's `apns`: headers and a payload for Apple's devices. They win over the values that the rest of the message
    /// implies.
    package struct APNsConfiguration: Hashable, Sendable {
        /// The fields of the request to APNs, by their names in any case.
        package var headers: [String: String]
        /// The members of the payload, with `aps`.
        package var payload: JSONObject
        /// Options for FCM's library on Apple's devices.
        package var fcmOptions: FCMOptions?
        /// The token of a Live Activity, or one that starts an activity. It replaces the app's own token as the
        /// target.
        package var liveActivityToken: RegistrationToken?

        package init(
            headers: [String: String] = [:], payload: JSONObject = [:], fcmOptions: FCMOptions? = nil,
            liveActivityToken: RegistrationToken? = nil
        ) {
            self.headers = headers
            self.payload = payload
            self.fcmOptions = fcmOptions
            self.liveActivityToken = liveActivityToken
        }

        /// Returns the value of a header; `nil` if it is absent. Headers compare without case (RFC 9110 §5.1).
        ///
        /// - Parameter name: the name in lower case.
        package func header(_ name: String) -> String? {
            headers[name]
                ?? headers.first { $0.key.utf8.count == name.utf8.count && $0.key.lowercased() == name }?.value
        }

        /// Options for FCM's library in the app.
        package struct FCMOptions: Hashable, Sendable {
            /// The label of the message in FCM's reports.
            package var analyticsLabel: String?
            /// The URL of an image, which wins over the notification's.
            package var image: String?

            package init(analyticsLabel: String? = nil, image: String? = nil) {
                self.analyticsLabel = analyticsLabel
                self.image = image
            }
        }
    }

    /// The alert for all platforms.
    package var notification: Notification?
    /// Key-value pairs for the app. FCM allows strings only.
    package var data: [String: String]
    /// The part for Apple's devices.
    package var apns: APNsConfiguration?
    /// The part for Android, which this gateway does not reach itself. It is kept to be shown and passed on, as FCM's
    /// JSON with names in lowerCamelCase.
    package var android: JSONObject?
    /// The second form of the part for Android, as ``android``.
    package var androidV2: JSONObject?
    /// The part for browsers, as ``android``.
    package var webpush: JSONObject?
    /// Options for FCM's libraries on all platforms, in the form of ``android``.
    package var fcmOptions: JSONObject?

    package init(
        notification: Notification? = nil, data: [String: String] = [:], apns: APNsConfiguration? = nil,
        android: JSONObject? = nil, androidV2: JSONObject? = nil, webpush: JSONObject? = nil,
        fcmOptions: JSONObject? = nil
    ) {
        self.notification = notification
        self.data = data
        self.apns = apns
        self.android = android
        self.androidV2 = androidV2
        self.webpush = webpush
        self.fcmOptions = fcmOptions
    }
}

extension Message {
    /// Replaces the badge that Apple's devices show, if the message sets one.
    mutating func replaceBadge(by badge: Int64) {
        guard var aps = apns?.payload["aps"]?.object, aps["badge"] != nil else { return }
        aps["badge"] = .integer(badge)
        apns?.payload["aps"] = .object(aps)
    }

    /// Returns the value of a field in `webpush.headers`; `nil` if it is absent.
    ///
    /// - Parameter name: the name in lower case.
    package func webPushHeader(_ name: String) -> String? {
        webpush?["headers"]?.object?.members.first { $0.name.lowercased() == name }?.value.string
    }
}

/// The lifetime of a message. Each platform's part has a field of its own for it.
extension Message {
    /// A platform whose part of a message may set its lifetime.
    package enum Platform: Sendable {
        case android
        case web
    }

    /// The time for which a message is tried that is to be delivered now or never.
    private static let nowOrNever = Duration.seconds(30)
    /// The maximum lifetime, which is the time for which Apple keeps a notification.
    package static let longestLifetime = Duration.seconds(30 * 86_400)

    /// Returns the time during which delivery is tried; `nil` for the gateway's default. 0 means now or never, and is
    /// tried for half a minute. No message is tried for longer than 30 days.
    ///
    /// `apns-expiration` sets it; a message whose expiration has passed has no time, and is not sent. The platform of
    /// an FCM token is unknown here, so for FCM the shortest lifetime of any platform counts.
    ///
    /// - Parameters:
    ///   - time: the time at which the message is accepted.
    ///   - platforms: the platforms whose parts of the message count too.
    package func lifetime(at time: Timestamp, platforms: Set<Platform> = []) -> Duration? {
        let expiration = apns?.header("apns-expiration").flatMap { Int64($0) }
        var lifetimes = [
            expiration.map { $0 == 0 ? Self.nowOrNever : .seconds($0) - .microseconds(time.microseconds) }
        ]
        var relative: [Duration?] = []
        if platforms.contains(.android) { relative += [android?.ttl, androidV2?.ttl] }
        if platforms.contains(.web) { relative.append(webpush?.webTTL.map { Duration.seconds($0) }) }
        lifetimes += relative.map { $0 == .zero ? Self.nowOrNever : $0 }
        return lifetimes.compactMap(\.self).min().map { min(max($0, .zero), Self.longestLifetime) }
    }

    /// Returns the message with its relative lifetimes reduced by its age. `android.ttl` and the web's `TTL` count
    /// from the hand-over to FCM, so the age is subtracted, down to 0. `apns-expiration` is a point in time and
    /// stays.
    ///
    /// - Parameter seconds: the time since the message was accepted.
    package func aged(bySeconds seconds: Int64) -> Message {
        guard seconds > 0 else { return self }
        var message = self
        message.android?.takeOffTTL(seconds)
        message.androidV2?.takeOffTTL(seconds)
        message.webpush?.takeOffWebTTL(seconds)
        return message
    }
}

/// The accessors for the lifetimes in a platform's part of a message.
extension JSONObject {
    /// Android's `ttl`.
    fileprivate var ttl: Duration? { (self["ttl"]?.string).flatMap { try? ProtoDuration($0).duration } }

    /// The web's `TTL` header, in seconds (RFC 8030 §5.2).
    fileprivate var webTTL: Int64? { webTTLHeader.flatMap { Int64($0.value) } }

    private var webTTLHeader: (name: String, value: String)? {
        guard let header = self["headers"]?.object?.members.first(where: { $0.name.lowercased() == "ttl" }) else {
            return nil
        }
        return header.value.string.map { (header.name, $0) }
    }

    fileprivate mutating func takeOffTTL(_ seconds: Int64) {
        guard let ttl else { return }
        self["ttl"] = .string(ProtoDuration(max(ttl - .seconds(seconds), .zero)).text)
    }

    fileprivate mutating func takeOffWebTTL(_ seconds: Int64) {
        guard let webTTL, let name = webTTLHeader?.name, var headers = self["headers"]?.object else { return }
        headers[name] = .string(String(max(webTTL - seconds, 0)))
        self["headers"] = .object(headers)
    }
}
