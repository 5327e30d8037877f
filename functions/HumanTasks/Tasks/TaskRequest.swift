import DocumentStore
import JSON

/// The content of a task, as the device requests it.
struct TaskRequest: Hashable, Sendable {
    private enum Field {
        static let recipient = "recipientName"
        static let taskDescription = "taskDescription"
        static let agent = "agentName"
        static let type = "hitType"
        static let config = "config"
        static let sender = "senderName"
        static let mode = "distributionMode"
        /// Older versions stored the participants here, not in the config.
        static let participants = "participants"
    }

    static let groupIDField = "groupId"
    static let nameLength = 1...50
    private static let longNameLength = 1...100
    /// The maximum size as JSON, in bytes.
    private static let maximumConfigSize = 16 * 1024

    /// `nil` if the task is for several people or for anyone.
    private(set) var recipient: String?
    let taskDescription: String
    let agent: String?
    let kind: TaskKind
    private(set) var config: JSONObject?
    private(set) var groupID: String?
    let sender: String?
    /// `nil` if the task was created for one recipient without a mode.
    let mode: DistributionMode?

    init(_ fields: inout CheckedFields) {
        recipient = fields.optionalText("recipient_name", Self.nameLength)
        taskDescription = fields.text("task_description", 1...500)
        agent = fields.optionalText("agent_name", Self.longNameLength)
        kind = fields.optionalChoice("hit_type", of: TaskKind.all) ?? .photo
        config = fields.optionalObject("config", atMost: Self.maximumConfigSize)
        groupID = fields.optionalText("group_id", Self.longNameLength)
        sender = fields.optionalText("sender_name", Self.nameLength)
        mode = fields.optionalChoice("distribution_mode", of: DistributionMode.allCases)
    }

    /// Returns `nil` if the document has no description of a task.
    init?(_ document: Document) {
        guard let taskDescription = document[Field.taskDescription]?.string else { return nil }
        self.taskDescription = taskDescription
        recipient = document[Field.recipient]?.string
        agent = document[Field.agent]?.string
        kind = TaskKind(stored: document[Field.type]?.string)
        groupID = document[Self.groupIDField]?.string
        sender = document[Field.sender]?.string
        mode = document[Field.mode]?.string.flatMap(DistributionMode.init)
        config = document[Field.config]?.string.flatMap { try? JSONValue(parsing: $0) }?.object
        let participants = document[Field.participants]?.string.flatMap { try? JSONValue(parsing: $0) }
        if let participants { addParticipants(participants) }
    }

    var fields: Fields {
        var fields: Fields = [
            Field.taskDescription: .string(taskDescription), Field.type: .string(kind.rawValue),
        ]
        fields[Field.recipient] = recipient.map(Value.string)
        fields[Field.agent] = agent.map(Value.string)
        fields[Field.config] = config.map { .string(JSONValue.object($0).text) }
        fields[Self.groupIDField] = groupID.map(Value.string)
        fields[Field.sender] = sender.map(Value.string)
        fields[Field.mode] = mode.map { .string($0.rawValue) }
        return fields
    }

    /// The recipient's name in responses, which is never absent.
    var recipientName: String { recipient ?? (mode == .group ? "Group" : "Anyone") }
    var senderName: String { sender ?? "Someone" }

    // MARK: Recipients

    /// Returns the request of the task for one participant.
    ///
    /// - Parameter group: The id that the tasks of all participants share.
    func addressed(to participant: String, in group: String) -> TaskRequest {
        var request = self
        request.recipient = participant
        request.groupID = group
        return request
    }

    /// Returns the request of one task for all participants, or for anyone.
    func shared(by participants: [String]) -> TaskRequest {
        var request = self
        if mode != nil { request.recipient = nil }
        if mode != .open, !participants.isEmpty {
            request.addParticipants(.array(participants.map(JSONValue.string)))
        }
        return request
    }

    /// Adds the participants to the config. In the mode `group` they replace the config's own participants.
    private mutating func addParticipants(_ names: JSONValue) {
        var config = config ?? [:]
        if mode == .group || (config["participants"]?.array ?? []).isEmpty { config["participants"] = names }
        self.config = config
    }
}

extension TaskRequest {
    /// The names that can answer; empty if any name can.
    var respondents: [String] {
        guard kind.isForParticipants else { return [] }
        var seen: Set<String> = []
        return (config?["participants"]?.array ?? []).compactMap { $0.string?.trimmingWhitespace() }
            .filter { !$0.isEmpty && seen.insert($0.asRespondent).inserted }
    }

    /// Returns the name as the task spells it. The comparison ignores case.
    func respondent(_ name: String) throws(HumanTasksError) -> String {
        let names = respondents
        guard !names.isEmpty else { return name }
        guard let known = names.first(where: { $0.asRespondent == name.asRespondent }) else {
            throw .notParticipant
        }
        return known
    }
}
