internal import DocumentStore

/// An approval that a run waits for.
///
/// `runApprovals/{…}`: `approvalId`, `runId`, `serverId`?, `repoName`?, `promptPreview`?, `requestedAt`, `sent` (how many
/// notifications there have been), `dueAt`? (when the next reminder is), `resolvedAt`?
struct Approval: Sendable {
    enum Field {
        static let id = "approvalId"
        static let runID = "runId"
        static let requestedAt = "requestedAt"
        static let sent = "sent"
        static let dueAt = "dueAt"
        static let resolvedAt = "resolvedAt"
    }

    let id: String
    let runID: String
    let texts: RunTexts
    let requestedAt: Timestamp
    var sent = 1

    init(id: String, _ runID: String, _ texts: RunTexts, at time: Timestamp) {
        self.id = id
        self.runID = runID
        self.texts = texts
        requestedAt = time
    }

    /// nil when the document lacks what an approval has.
    init?(_ document: Document) {
        guard let id = document[Field.id]?.string, let runID = document[Field.runID]?.string,
            let requestedAt = document[Field.requestedAt]?.timestamp, let sent = document[Field.sent]?.integer
        else { return nil }
        self.id = id
        self.runID = runID
        texts = RunTexts(document)
        self.requestedAt = requestedAt
        self.sent = Int(sent)
    }

    /// - Parameter delays: of the reminders, counted from the request.
    func fields(remindingAfter delays: [Duration]) -> Fields {
        var fields = texts.fields
        fields[Field.id] = .string(id)
        fields[Field.runID] = .string(runID)
        fields[Field.requestedAt] = .timestamp(requestedAt)
        fields[Field.sent] = .integer(Int64(sent))
        if sent <= delays.count { fields[Field.dueAt] = .timestamp(requestedAt.adding(delays[sent - 1])) }
        return fields
    }

    /// The fields of one that nobody waits for any more: enough to recognise it by.
    static func resolved(_ id: String, at time: Timestamp) -> Fields {
        [Field.id: .string(id), Field.resolvedAt: .timestamp(time)]
    }
}
