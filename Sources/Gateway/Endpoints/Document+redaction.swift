internal import DocumentStore
internal import JSON
internal import Messaging

/// Documents as they may be shown.
extension Document {
    /// Fields that hold a whole device token, wherever a module keeps one.
    private static let tokenFields: Set<String> = ["fcmToken", "token", "deviceToken"]

    /// Where the outbox keeps a message, as FCM's JSON.
    private static let messageField = "message"

    /// This document with fingerprints in place of device tokens.
    var redacted: Document {
        let fields = fields.map { ($0, Self.redacted($1, name: $0)) }
        return Document(
            path: path, fields: Dictionary(uniqueKeysWithValues: fields), createTime: createTime, updateTime: updateTime
        )
    }

    private static func redacted(_ value: Value, name: String) -> Value {
        switch value {
        case .string(let token) where tokenFields.contains(name): .string(RegistrationToken(token).description)
        case .string(let text) where name == messageField: .string(redacted(message: text))
        case .array(let elements): .array(elements.map { redacted($0, name: name) })
        case .map(let members):
            .map(Dictionary(uniqueKeysWithValues: members.map { ($0, redacted($1, name: $0)) }))
        default: value
        }
    }

    /// The token of a live activity stands inside the text. Any other text is left as it is.
    private static func redacted(message text: String) -> String {
        guard let json = try? JSONValue(parsing: text), json["apns"]?["liveActivityToken"] != nil else { return text }
        return Message(json: json).redactedJSON.text
    }
}
