public import JSON

/// What a notification says, without whom it goes to: the content fields of FCM's
/// [`Message`](https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
public struct Message: Hashable, Sendable {
    /// FCM's `notification`: the alert as every platform understands it.
    public struct Notification: Hashable, Sendable {
        public var title: String?
        public var body: String?

        public init(title: String? = nil, body: String? = nil) {
            self.title = title
            self.body = body
        }
    }

    /// FCM's `apns`: headers and a payload for Apple's devices, which win over what the rest of the message implies.
    public struct APNsConfiguration: Hashable, Sendable {
        public var headers: [String: String]
        public var payload: JSONObject

        public init(headers: [String: String] = [:], payload: JSONObject = [:]) {
            self.headers = headers
            self.payload = payload
        }
    }

    public var notification: Notification?
    /// Key-value pairs for the app; FCM has strings only.
    public var data: [String: String]
    public var apns: APNsConfiguration?

    public init(
        notification: Notification? = nil, data: [String: String] = [:], apns: APNsConfiguration? = nil
    ) {
        self.notification = notification
        self.data = data
        self.apns = apns
    }
}

// MARK: FCM's JSON

extension Message {
    /// The message as FCM's HTTP v1 API writes it, in lowerCamelCase, with its members in a fixed order.
    public var json: JSONValue {
        var object: JSONObject = [:]
        if let notification { object["notification"] = notification.json }
        if !data.isEmpty { object["data"] = Self.json(of: data) }
        if let apns { object["apns"] = ["headers": Self.json(of: apns.headers), "payload": .object(apns.payload)] }
        return .object(object)
    }

    /// Reads what ``json`` writes.
    public init(json: JSONValue) {
        notification = json["notification"].map { Notification(title: $0["title"]?.string, body: $0["body"]?.string) }
        data = Self.strings(in: json["data"])
        apns = json["apns"].map {
            APNsConfiguration(headers: Self.strings(in: $0["headers"]), payload: $0["payload"]?.object ?? [:])
        }
    }

    private static func json(of strings: [String: String]) -> JSONValue {
        .object(JSONObject(strings.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
    }

    private static func strings(in json: JSONValue?) -> [String: String] {
        let members = json?.object?.members ?? []
        return Dictionary(members.compactMap { member in member.value.string.map { (member.name, $0) } }) { $1 }
    }
}

extension Message.Notification {
    fileprivate var json: JSONValue {
        var object: JSONObject = [:]
        object["title"] = title.map(JSONValue.string)
        object["body"] = body.map(JSONValue.string)
        return .object(object)
    }
}
