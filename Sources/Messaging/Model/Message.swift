public import JSON

/// What a notification says, without whom it goes to: the content fields of FCM's
/// [`Message`](https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
public struct Message: Hashable, Sendable {
    /// FCM's `notification`: the alert as every platform understands it.
    public struct Notification: Hashable, Sendable {
        public var title: String?
        public var body: String?
        /// The URL of a picture, which the app fetches.
        public var image: String?

        public init(title: String? = nil, body: String? = nil, image: String? = nil) {
            self.title = title
            self.body = body
            self.image = image
        }
    }

    /// FCM's `apns`: headers and a payload for Apple's devices, which win over what the rest of the message implies.
    public struct APNsConfiguration: Hashable, Sendable {
        public var headers: [String: String]
        public var payload: JSONObject
        public var fcmOptions: FCMOptions?
        /// The token of a Live Activity, or for starting one: where it goes instead of to the app's own token.
        public var liveActivityToken: RegistrationToken?

        public init(
            headers: [String: String] = [:], payload: JSONObject = [:], fcmOptions: FCMOptions? = nil,
            liveActivityToken: RegistrationToken? = nil
        ) {
            self.headers = headers
            self.payload = payload
            self.fcmOptions = fcmOptions
            self.liveActivityToken = liveActivityToken
        }

        /// The value of a header, whose name is written in any case (RFC 9110 §5.1).
        ///
        /// - Parameter name: in lower case.
        public func header(_ name: String) -> String? {
            headers[name]
                ?? headers.first { $0.key.utf8.count == name.utf8.count && $0.key.lowercased() == name }?.value
        }

        /// What is for FCM's library in the app.
        public struct FCMOptions: Hashable, Sendable {
            public var analyticsLabel: String?
            /// The URL of a picture, which wins over the notification's.
            public var image: String?

            public init(analyticsLabel: String? = nil, image: String? = nil) {
                self.analyticsLabel = analyticsLabel
                self.image = image
            }
        }
    }

    public var notification: Notification?
    /// Key-value pairs for the app; FCM has strings only.
    public var data: [String: String]
    public var apns: APNsConfiguration?
    /// What is for platforms that are not reached from here, kept to be shown and passed on: FCM's JSON, its names in
    /// lowerCamelCase.
    public var android: JSONObject?
    public var androidV2: JSONObject?
    public var webpush: JSONObject?
    /// Options for FCM's libraries on all platforms, in the same form.
    public var fcmOptions: JSONObject?

    public init(
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
