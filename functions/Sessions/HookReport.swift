internal import DocumentStore
internal import HTTPTypes
internal import JSON

/// An event with the machine that reports it.
struct HookReport: Sendable {
    let device: ReportingDevice
    let event: HookEvent
    /// When it happened, by the clock of who reports it.
    let timestamp: Timestamp

    /// What a hook's program sends: `{device, event, timestamp}`.
    init(_ object: JSONObject) throws(SessionsError) {
        device = try ReportingDevice(LooseFields(object["device"]?.object ?? [:]))
        event = try HookEvent(object["event"]?.object ?? [:])
        guard let timestamp = object["timestamp"]?.string.flatMap({ Timestamp($0) }) else {
            throw .badRequest("timestamp must be valid RFC 3339")
        }
        self.timestamp = timestamp
    }

    /// What the agent sends by itself: the event alone, with the machine in header fields.
    init(_ headers: HTTPFields, event: JSONObject, at time: Timestamp) throws(SessionsError) {
        device = try ReportingDevice(headers)
        self.event = try HookEvent(event)
        timestamp = time
    }
}

/// The machine that reports.
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
