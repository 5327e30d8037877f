import DocumentStore
import HTTPTypes
import JSON

/// An event of a session, as the agent passes it to its hooks. Unknown fields are ignored.
struct HookEvent: Sendable {
    let sessionID: String
    /// The event's name, such as `Stop`, `Notification` or `UserPromptSubmit`. The set is open.
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
    /// The maximum length of a name that is only shown, in UTF-8 bytes.
    static let longestName = 200
    private static let longestIdentifier = 256

    /// Reads a text that serves as a key and as a header field's value.
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

    /// Reads a text for people, without control characters except line ends and tabs.
    ///
    /// - Parameter limit: The maximum length in UTF-8 bytes; the rest is dropped.
    func text(_ name: String, atMost limit: Int) -> String? {
        guard let text = string(name)?.withoutControls else { return nil }
        return text.isEmpty ? nil : text.prefix(utf8Bytes: limit)
    }
}

extension String {
    /// The trimmed text without invisible control characters, trimmed again.
    fileprivate var withoutControls: String {
        guard unicodeScalars.contains(where: \.isUnseen) else { return self }
        return String(unicodeScalars.filter { !$0.isUnseen }).trimmingWhitespace()
    }
}

extension Unicode.Scalar {
    /// `true` for the general category Cc, which Unicode never changes.
    fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

    fileprivate var isUnseen: Bool { isControl && self != "\n" && self != "\t" }
}

/// An event and the machine that reports it.
struct HookReport: Sendable {
    let device: ReportingDevice
    let event: HookEvent
    /// The time of the event, by the clock of the reporting machine.
    let timestamp: Timestamp

    /// Reads the body of a hook's program: `{device, event, timestamp}`.
    init(_ object: JSONObject) throws(SessionsError) {
        device = try ReportingDevice(LooseFields(object["device"]?.object ?? [:]))
        event = try HookEvent(object["event"]?.object ?? [:])
        guard let timestamp = object["timestamp"]?.string.flatMap({ Timestamp($0) }) else {
            throw .badRequest("timestamp must be valid RFC 3339")
        }
        self.timestamp = timestamp
    }

    /// Reads a request that the agent sends itself, with the event as its body and the machine in header fields.
    init(_ headers: HTTPFields, event: JSONObject, at time: Timestamp) throws(SessionsError) {
        device = try ReportingDevice(headers)
        self.event = try HookEvent(event)
        timestamp = time
    }
}

/// The machine that reports an event.
struct ReportingDevice: Sendable {
    let id: String
    let name: String?
    let platform: String?

    init(_ fields: LooseFields) throws(SessionsError) {
        id = try fields.identifier("device_id")
        name = fields.text("device_name", atMost: LooseFields.longestName)
        platform = fields.text("platform", atMost: LooseFields.longestName)
    }

    init(_ headers: HTTPFields) throws(SessionsError) {
        let id = "X-Claudiator-Device-Id"
        self.id = try LooseFields([id: .string(try Self.value(of: id, or: "X-Device-Id", in: headers))]).identifier(id)
        name = try Self.value(of: "X-Claudiator-Device-Name", or: "X-Device-Name", in: headers)
            .prefix(utf8Bytes: LooseFields.longestName)
        platform = try Self.value(of: "X-Claudiator-Platform", or: "X-Device-Platform", in: headers)
            .prefix(utf8Bytes: LooseFields.longestName)
    }

    private static func value(
        of name: String, or other: String, in headers: HTTPFields
    ) throws(SessionsError) -> String {
        for name in [name, other].compactMap({ HTTPField.Name($0) }) {
            if let value = headers[name]?.trimmingWhitespace(), !value.isEmpty { return value }
        }
        throw .badRequest("\(name) is required")
    }
}
