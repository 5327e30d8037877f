import JSON
import Messaging

/// A string field of a request body, and its maximum length in UTF-16 units.
struct BodyField: Sendable {
    let name: String
    let maximumLength: Int

    static let cwd = BodyField(name: "cwd", maximumLength: 2_048)
    static let installationID = BodyField(name: "installation_id", maximumLength: 128)
    static let fcmToken = BodyField(name: "fcm_token", maximumLength: 4_096)
    static let agentDisplayName = BodyField(name: "agent_display_name", maximumLength: 120)
    static let platform = BodyField(name: "platform", maximumLength: 32)
    static let appVersion = BodyField(name: "app_version", maximumLength: 64)
    static let appVersionCamelCase = BodyField(name: "appVersion", maximumLength: 64)
    static let bundleID = BodyField(name: "bundle_id", maximumLength: 155)
    static let bundleIDCamelCase = BodyField(name: "bundleId", maximumLength: 155)
    static let apnsEnvironment = BodyField(name: "apns_environment", maximumLength: 32)
    static let conversationID = BodyField(name: "conversation_id", maximumLength: 256)
    static let state = BodyField(name: "state", maximumLength: 32)
    static let step = BodyField(name: "step", maximumLength: CardState.maximumStep)
    static let text = BodyField(name: "text", maximumLength: CardState.maximumText)
    static let completionID = BodyField(name: "completion_id", maximumLength: 128)
    static let excludeInstallationID = BodyField(name: "exclude_installation_id", maximumLength: 128)
    static let excludeFCMToken = BodyField(name: "exclude_fcm_token", maximumLength: 4_096)
    static let excludeWebPush = BodyField(name: "exclude_web_push", maximumLength: 4_096)
}

extension LooseFields {
    /// Returns the field's string, or `nil` if it is absent. A string that is too long is an error.
    func optional(_ field: BodyField) throws(CodeAgentsError) -> String? {
        try Self.checked(string(field.name), field)
    }

    /// Returns the error for a required field without a usable value.
    func missing(_ field: BodyField) -> CodeAgentsError {
        let problem =
            switch value(field.name) {
            case nil: "is missing"
            case .string?: "is blank"
            case .some: "is not a string"
            }
        return .badRequest("\(field.name) \(problem)")
    }

    /// Returns the endpoint of the subscription in a field, or the endpoint that is there alone, as a text.
    func endpoint(_ field: BodyField) throws(CodeAgentsError) -> String? {
        try Self.checked(value(field.name)?["endpoint"]?.string ?? string(field.name), field)
    }

    private static func checked(_ value: String?, _ field: BodyField) throws(CodeAgentsError) -> String? {
        guard let value else { return nil }
        guard value.utf16.count <= field.maximumLength else { throw .tooLong(field) }
        return value
    }

    /// Returns the string of the first field that has one.
    func first(of fields: BodyField...) throws(CodeAgentsError) -> String? {
        for field in fields {
            if let value = try optional(field) { return value }
        }
        return nil
    }
}
