internal import JSON

/// Something that happened in a session, as the agent hands it to its hooks; what is not known of it is ignored.
struct HookEvent: Sendable {
    let sessionID: String
    /// `Stop`, `Notification`, `UserPromptSubmit`, …: an open set.
    let name: String
    let cwd: String?
    let prompt: String?
    let notificationType: String?
    let toolName: String?
    let message: String?

    init(_ object: JSONObject) throws(SessionsError) {
        let fields = LooseFields(object)
        sessionID = try fields.identifier("session_id")
        name = try fields.identifier("hook_event_name")
        cwd = fields.text("cwd", atMost: 4_096)
        prompt = fields.text("prompt", atMost: 16_384)
        notificationType = fields.text("notification_type", atMost: LooseFields.longestName)
        toolName = fields.text("tool_name", atMost: LooseFields.longestName)
        message = fields.text("message", atMost: 4_096)
    }
}

extension LooseFields {
    /// Bytes of UTF-8 that are kept of a name that is only shown.
    static let longestName = 200
    private static let longestIdentifier = 256

    /// A text that things are found by, and that header fields carry.
    func identifier(_ name: String) throws(SessionsError) -> String {
        guard let text = string(name) else { throw .badRequest("\(name) is required") }
        guard text.utf8.count <= Self.longestIdentifier else {
            throw .badRequest("\(name) must be at most \(Self.longestIdentifier) bytes long")
        }
        guard !text.unicodeScalars.contains(where: \.isControl) else {
            throw .badRequest("\(name) must not contain control characters")
        }
        return text
    }

    /// A text for people: without control characters, but for line ends and tabs.
    ///
    /// - Parameter limit: in bytes of UTF-8; the rest is dropped.
    func text(_ name: String, atMost limit: Int) -> String? {
        guard let text = string(name)?.withoutControls else { return nil }
        return text.isEmpty ? nil : text.prefix(utf8Bytes: limit)
    }
}

extension String {
    /// The text, which has no white space around it, without the control characters that nobody sees, and again without
    /// white space around it.
    fileprivate var withoutControls: String {
        guard unicodeScalars.contains(where: \.isUnseen) else { return self }
        return String(unicodeScalars.filter { !$0.isUnseen }).trimmingWhitespace()
    }
}

extension Unicode.Scalar {
    /// Of the general category Cc, which Unicode never changes.
    fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

    fileprivate var isUnseen: Bool { isControl && self != "\n" && self != "\t" }
}
