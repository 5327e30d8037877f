import DocumentStore
import JSON
import Messaging

/// The redaction of documents before they are shown.
extension Document {
    /// The document with fingerprints in place of device tokens.
    var redacted: Document {
        Document(path: path, fields: fields.redacted, createTime: createTime, updateTime: updateTime)
    }
}

extension Fields {
    /// The fields with fingerprints in place of device tokens.
    var redacted: Fields { Fields(uniqueKeysWithValues: map { ($0.key, $0.value.redacted(in: $0.key)) }) }

    /// The name of a field that contains a fingerprint in place of a device token; `nil` if there is none.
    var redactedField: String? { first { $0.value.isRedacted(in: $0.key) }?.key }
}

extension Value {
    /// The names of fields that hold a whole device token, in any module's documents.
    private static let tokenFields: Set<String> = ["fcmToken", "token", "deviceToken"]

    /// The field in which the outbox stores a message, as FCM's JSON.
    private static let messageField = "message"

    /// Returns the value of a field with fingerprints in place of device tokens.
    fileprivate func redacted(in field: String) -> Value {
        switch self {
        case .string(let token) where Self.tokenFields.contains(field): .string(RegistrationToken(token).description)
        case .string(let text) where field == Self.messageField: .string(Self.redacted(message: text))
        case .array(let elements): .array(elements.map { $0.redacted(in: field) })
        case .map(let members): .map(members.redacted)
        default: self
        }
    }

    /// Returns `true` if a field with the value contains a fingerprint in place of a device token.
    fileprivate func isRedacted(in field: String) -> Bool {
        switch self {
        case .string(let token) where Self.tokenFields.contains(field): token.isFingerprint
        case .string(let text) where field == Self.messageField: Self.liveActivityToken(in: text)?.isFingerprint == true
        case .array(let elements): elements.contains { $0.isRedacted(in: field) }
        case .map(let members): members.redactedField != nil
        default: false
        }
    }

    /// Returns the text of a message without the token of a live activity, which is inside the text. Any other text
    /// is returned unchanged.
    private static func redacted(message text: String) -> String {
        guard let json = try? JSONValue(parsing: text), json["apns"]?["liveActivityToken"] != nil else { return text }
        return Message(json: json).redactedJSON.text
    }

    private static func liveActivityToken(in message: String) -> String? {
        (try? JSONValue(parsing: message))?["apns"]?["liveActivityToken"]?.string
    }
}

extension String {
    /// `true` if the text is the fingerprint of a device token, which ``RegistrationToken/description`` makes.
    var isFingerprint: Bool { hasPrefix("token#") }
}
