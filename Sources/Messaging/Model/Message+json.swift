public import JSON

/// FCM's JSON.
extension Message {
    /// The message as FCM's HTTP v1 API writes it, in lowerCamelCase, with its members in a fixed order.
    ///
    /// A live activity's token is in it: it is for the store and the wire. ``redactedJSON`` is for people.
    public var json: JSONValue { json { $0.value } }

    /// As ``json``, with the fingerprint of a live activity's token in its place.
    public var redactedJSON: JSONValue { json(showing: \.description) }

    private func json(showing token: (RegistrationToken) -> String) -> JSONValue {
        var object: JSONObject = [:]
        object["notification"] = notification?.json
        if !data.isEmpty { object["data"] = Self.json(of: data) }
        object["apns"] = apns?.json(showing: token)
        object["android"] = android.map(JSONValue.object)
        object["androidV2"] = androidV2.map(JSONValue.object)
        object["webpush"] = webpush.map(JSONValue.object)
        object["fcmOptions"] = fcmOptions.map(JSONValue.object)
        return .object(object)
    }

    /// Reads what ``json`` writes, and any of FCM's messages in canonical form.
    public init(json: JSONValue) {
        self.init(
            notification: json["notification"].map(Notification.init(json:)),
            data: Self.strings(in: json["data"]),
            apns: json["apns"].map(APNsConfiguration.init(json:)),
            android: json["android"]?.object,
            androidV2: json["androidV2"]?.object,
            webpush: json["webpush"]?.object,
            fcmOptions: json["fcmOptions"]?.object)
    }

    fileprivate static func json(of strings: [String: String]) -> JSONValue {
        var members = strings.map { (name: $0.key, value: JSONValue.string($0.value)) }
        members.sort { $0.name < $1.name }
        return .object(JSONObject(members))
    }

    fileprivate static func strings(in json: JSONValue?) -> [String: String] {
        let members = json?.object?.members ?? []
        return Dictionary(members.compactMap { member in member.value.string.map { (member.name, $0) } }) { $1 }
    }
}

extension Message.Notification {
    fileprivate var json: JSONValue {
        var object: JSONObject = [:]
        object["title"] = title.map(JSONValue.string)
        object["body"] = body.map(JSONValue.string)
        object["image"] = image.map(JSONValue.string)
        return .object(object)
    }

    fileprivate init(json: JSONValue) {
        self.init(title: json["title"]?.string, body: json["body"]?.string, image: json["image"]?.string)
    }
}

extension Message.APNsConfiguration {
    fileprivate func json(showing token: (RegistrationToken) -> String) -> JSONValue {
        var object: JSONObject = [:]
        if !headers.isEmpty { object["headers"] = Message.json(of: headers) }
        if !payload.isEmpty { object["payload"] = .object(payload) }
        object["fcmOptions"] = fcmOptions?.json
        object["liveActivityToken"] = liveActivityToken.map { .string(token($0)) }
        return .object(object)
    }

    fileprivate init(json: JSONValue) {
        self.init(
            headers: Message.strings(in: json["headers"]), payload: json["payload"]?.object ?? [:],
            fcmOptions: json["fcmOptions"].map(FCMOptions.init(json:)),
            liveActivityToken: json["liveActivityToken"]?.string.flatMap { $0.isEmpty ? nil : RegistrationToken($0) })
    }
}

extension Message.APNsConfiguration.FCMOptions {
    fileprivate var json: JSONValue {
        var object: JSONObject = [:]
        object["analyticsLabel"] = analyticsLabel.map(JSONValue.string)
        object["image"] = image.map(JSONValue.string)
        return .object(object)
    }

    fileprivate init(json: JSONValue) {
        self.init(analyticsLabel: json["analyticsLabel"]?.string, image: json["image"]?.string)
    }
}
