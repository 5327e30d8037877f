internal import DocumentStore
internal import JSON

/// What a device asks for, and whom.
struct HitRequest: Hashable, Sendable {
    private enum Field {
        static let recipient = "recipientName"
        static let task = "taskDescription"
        static let agent = "agentName"
        static let type = "hitType"
        static let config = "config"
        static let groupID = "groupId"
        static let sender = "senderName"
        static let participants = "participants"
    }

    private static let nameLength = 1...50
    private static let longNameLength = 1...100
    /// As JSON, in bytes.
    private static let maximumConfigSize = 16 * 1024
    private static let maximumParticipantsSize = 8 * 1024

    let recipient: String?
    let task: String
    let agent: String?
    let type: String?
    let config: JSONObject?
    let groupID: String?
    let sender: String?
    let participants: [JSONValue]?

    init(_ object: JSONObject) throws(FieldIssues) {
        var fields = CheckedFields(object)
        recipient = fields.optionalText("recipient_name", Self.nameLength)
        task = fields.text("task_description", 1...500)
        agent = fields.optionalText("agent_name", Self.longNameLength)
        type = fields.optionalText("hit_type", Self.nameLength)
        config = fields.optionalObject("config", atMost: Self.maximumConfigSize)
        groupID = fields.optionalText("group_id", Self.longNameLength)
        sender = fields.optionalText("sender_name", Self.longNameLength)
        participants = fields.optionalArray("participants", atMost: Self.maximumParticipantsSize)
        try fields.check()
    }

    /// nil when the document has no task.
    init?(_ document: Document) {
        guard let task = document[Field.task]?.string else { return nil }
        self.task = task
        recipient = document[Field.recipient]?.string
        agent = document[Field.agent]?.string
        type = document[Field.type]?.string
        config = document[Field.config]?.string.flatMap { try? JSONValue(parsing: $0) }?.object
        groupID = document[Field.groupID]?.string
        sender = document[Field.sender]?.string
        participants = document[Field.participants]?.string.flatMap { try? JSONValue(parsing: $0) }?.array
    }

    var fields: Fields {
        var fields: Fields = [Field.task: .string(task)]
        fields[Field.recipient] = recipient.map(Value.string)
        fields[Field.agent] = agent.map(Value.string)
        fields[Field.type] = type.map(Value.string)
        fields[Field.config] = config.map { .string(JSONValue.object($0).text) }
        fields[Field.groupID] = groupID.map(Value.string)
        fields[Field.sender] = sender.map(Value.string)
        fields[Field.participants] = participants.map { .string(JSONValue.array($0).text) }
        return fields
    }

    var json: JSONObject {
        [
            "sender_name": sender.json, "recipient_name": recipient.json, "task_description": .string(task),
            "agent_name": agent.json, "hit_type": type.json, "config": config.map(JSONValue.object) ?? .null,
            "group_id": groupID.json, "participants": participants.map(JSONValue.array) ?? .null,
        ]
    }

    var kind: HitKind { HitKind(type) }
}

/// What kind of answer is wanted.
enum HitKind: Hashable, Sendable {
    case photo
    case poll
    case availability
    /// Something else, or nobody said.
    case other

    /// Takes `poll`, `group_poll` and `Group-Poll` for the same.
    init(_ type: String?) {
        switch type?.lowercased().replacing("-", with: "_") {
        case "photo", "photos": self = .photo
        case "poll", "group_poll": self = .poll
        case "availability", "group_availability": self = .availability
        default: self = .other
        }
    }
}

extension String? {
    fileprivate var json: JSONValue { map(JSONValue.string) ?? .null }
}
