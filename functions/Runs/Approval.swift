internal import DocumentStore

/// An approval that a run waits for.
///
/// `runApprovals/{…}`: `approvalId`, `runId`, `serverId`?, `repoName`?, `promptPreview`?, `requestedAt`, `sent` (how many
/// notifications there have been), `dueAt`? (when the next reminder is), `resolvedAt`?
struct Approval: Sendable {
    enum Field {
        static let id = "approvalId"
        static let runID = "runId"
        static let serverID = "serverId"
        static let repository = "repoName"
        static let prompt = "promptPreview"
        static let requestedAt = "requestedAt"
        static let sent = "sent"
        static let dueAt = "dueAt"
        static let resolvedAt = "resolvedAt"
    }

    let id: String
    let runID: String
    let serverID: String?
    let repository: String?
    let prompt: String?
    let requestedAt: Timestamp
    var sent = 1

    init(id: String, _ event: RunEvent, at time: Timestamp) {
        self.id = id
        runID = event.runID
        serverID = event.serverID
        repository = event.repository
        prompt = event.promptPreview
        requestedAt = time
    }

    /// nil when the document lacks what an approval has.
    init?(_ document: Document) {
        guard let id = document[Field.id]?.string, let runID = document[Field.runID]?.string,
            let requestedAt = document[Field.requestedAt]?.timestamp, let sent = document[Field.sent]?.integer
        else { return nil }
        self.id = id
        self.runID = runID
        serverID = document[Field.serverID]?.string
        repository = document[Field.repository]?.string
        prompt = document[Field.prompt]?.string
        self.requestedAt = requestedAt
        self.sent = Int(sent)
    }

    /// - Parameter delays: of the reminders, counted from the request.
    func fields(remindingAfter delays: [Duration]) -> Fields {
        var fields: Fields = [
            Field.id: .string(id), Field.runID: .string(runID), Field.requestedAt: .timestamp(requestedAt),
            Field.sent: .integer(Int64(sent)),
        ]
        fields[Field.serverID] = serverID.map(Value.string)
        fields[Field.repository] = repository.map(Value.string)
        fields[Field.prompt] = prompt.map(Value.string)
        if sent <= delays.count { fields[Field.dueAt] = .timestamp(requestedAt.adding(delays[sent - 1])) }
        return fields
    }
}
