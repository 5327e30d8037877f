package import JSON

/// The JSON of FCM.
extension Message {
    /// The message as FCM's HTTP v1 API writes it, in lowerCamelCase, with its members in a fixed order.
    ///
    /// The text contains the token of a Live Activity: it is for the store and the wire. Use ``redactedJSON`` for
    /// logs and answers.
    package var jsonText: String { String(decoding: encodedJSON, as: UTF8.self) }

    /// Returns ``jsonText``, written in the memory of an array, which keeps that for the next text.
    package func jsonText(memory: inout [UInt8]) -> String {
        var writer = JSONWriter(memory: &memory, capacity: expectedJSONBytes)
        writer.object { write(to: &$0, showing: \.value) }
        defer { writer.release(to: &memory) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The message as a JSON value, with the members of ``jsonText``.
    package var json: JSONValue { Self.value(of: encodedJSON) }

    /// The same as ``json``, with the token of a Live Activity replaced by its fingerprint.
    package var redactedJSON: JSONValue { Self.value(of: encodedJSON(showing: \.description)) }

    /// The bytes of ``jsonText``.
    package var encodedJSON: [UInt8] { encodedJSON { $0.value } }

    private func encodedJSON(showing token: (RegistrationToken) -> String) -> [UInt8] {
        var writer = JSONWriter(capacity: expectedJSONBytes)
        writer.object { write(to: &$0, showing: token) }
        return writer.bytes
    }

    private var expectedJSONBytes: Int {
        data.reduce(512 + (notification?.body?.utf8.count ?? 0)) { $0 + $1.key.utf8.count + $1.value.utf8.count + 6 }
    }

    private func write(to writer: inout JSONWriter, showing token: (RegistrationToken) -> String) {
        if let notification { writer.object("notification") { notification.write(to: &$0) } }
        if !data.isEmpty { writer.object("data", of: data) }
        if let apns { writer.object("apns") { apns.write(to: &$0, showing: token) } }
        writer.member("android", android.map(JSONValue.object))
        writer.member("androidV2", androidV2.map(JSONValue.object))
        writer.member("webpush", webpush.map(JSONValue.object))
        writer.member("fcmOptions", fcmOptions.map(JSONValue.object))
    }

    private static func value(of bytes: [UInt8]) -> JSONValue {
        // The text is this type's own, so it parses. Its depth is that of the message.
        (try? JSONValue(parsing: bytes, maximumDepth: .max)) ?? [:]
    }

    /// Reads a text of ``jsonText``, and any FCM message in canonical form.
    package init(json: JSONValue) {
        self.init(
            notification: json["notification"].map(Notification.init(json:)),
            data: Self.strings(in: json["data"]),
            apns: json["apns"].map(APNsConfiguration.init(json:)),
            android: json["android"]?.object,
            androidV2: json["androidV2"]?.object,
            webpush: json["webpush"]?.object,
            fcmOptions: json["fcmOptions"]?.object)
    }

    fileprivate static func strings(in json: JSONValue?) -> [String: String] {
        let members = json?.object?.members ?? []
        return Dictionary(members.compactMap { member in member.value.string.map { (member.name, $0) } }) { $1 }
    }
}

extension Message.Notification {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("title", title.map(JSONValue.string))
        writer.member("body", body.map(JSONValue.string))
        writer.member("image", image.map(JSONValue.string))
    }

    fileprivate init(json: JSONValue) {
        self.init(title: json["title"]?.string, body: json["body"]?.string, image: json["image"]?.string)
    }
}

extension Message.APNsConfiguration {
    fileprivate func write(to writer: inout JSONWriter, showing token: (RegistrationToken) -> String) {
        if !headers.isEmpty { writer.object("headers", of: headers) }
        if !payload.isEmpty { writer.member("payload", .object(payload)) }
        if let fcmOptions { writer.object("fcmOptions") { fcmOptions.write(to: &$0) } }
        writer.member("liveActivityToken", liveActivityToken.map { .string(token($0)) })
    }

    fileprivate init(json: JSONValue) {
        self.init(
            headers: Message.strings(in: json["headers"]), payload: json["payload"]?.object ?? [:],
            fcmOptions: json["fcmOptions"].map(FCMOptions.init(json:)),
            liveActivityToken: json["liveActivityToken"]?.string.flatMap { $0.isEmpty ? nil : RegistrationToken($0) })
    }
}

extension Message.APNsConfiguration.FCMOptions {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("analyticsLabel", analyticsLabel.map(JSONValue.string))
        writer.member("image", image.map(JSONValue.string))
    }

    fileprivate init(json: JSONValue) {
        self.init(analyticsLabel: json["analyticsLabel"]?.string, image: json["image"]?.string)
    }
}
