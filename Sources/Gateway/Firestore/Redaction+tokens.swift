import DocumentStore
import FirestoreAPI
import JSON
import Messaging

extension Redaction {
    /// The rule for the gateway's own documents: fingerprints stand in place of device tokens.
    static let tokens = Redaction(
        hide: { $0.redacted }, marked: { $0.redactedField },
        conceals: { $0.segments.contains(where: Value.isRedactedField) })
}

extension Fields {
    /// The fields with fingerprints in place of device tokens.
    fileprivate var redacted: Fields { Fields(map { ($0.key, $0.value.redacted(in: $0.key)) }) }

    /// The name of a field that contains a fingerprint in place of a device token; `nil` if there is none.
    fileprivate var redactedField: String? { first { $0.value.isRedacted(in: $0.key) }?.key }
}

extension Value {
    /// The names of fields that hold a whole device token, or a digest of it with its secrets, in any module's
    /// documents.
    private static let tokenFields: Set<String> = ["fcmToken", "token", "deviceToken", RegistrationFields.digest]

    /// The field with the attributes of an address, all of which are secret.
    private static let attributesField = RegistrationFields.attributes

    /// The field in which the outbox stores a message, as FCM's JSON.
    private static let messageField = "message"

    /// Returns `true` for the name of a field that may contain a fingerprint, at any depth.
    fileprivate static func isRedactedField(_ name: String) -> Bool {
        tokenFields.contains(name) || name == attributesField || name == messageField
    }

    /// Returns the value of a field with fingerprints in place of device tokens.
    fileprivate func redacted(in field: String) -> Value {
        switch self {
        case .string(let token) where Self.tokenFields.contains(field): .string(RegistrationToken(token).description)
        case .string(let text) where field == Self.messageField: .string(Self.redacted(message: text))
        case .array(let elements): .array(elements.map { $0.redacted(in: field) })
        case .map(let members) where field == Self.attributesField:
            .map(Fields(members.map { ($0.key, $0.value.fingerprint) }))
        case .map(let members): .map(members.redacted)
        default: self
        }
    }

    /// The fingerprint of a text; any other value is itself.
    private var fingerprint: Value {
        if case .string(let text) = self { .string(RegistrationToken(text).description) } else { self }
    }

    /// Returns `true` if a field with the value contains a fingerprint. No field contains one for another reason.
    fileprivate func isRedacted(in field: String) -> Bool {
        switch self {
        case .string(let text) where field == Self.messageField:
            text.isFingerprint || Self.liveActivityToken(in: text)?.isFingerprint == true
        case .string(let text): text.isFingerprint
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
    /// `true` if the text has the form of ``RegistrationToken/description``.
    fileprivate var isFingerprint: Bool {
        let prefix = "token#"
        return hasPrefix(prefix) && utf8.count == prefix.utf8.count + 8
            && RegistrationToken(String(dropFirst(prefix.count))).isHexadecimal
    }
}
