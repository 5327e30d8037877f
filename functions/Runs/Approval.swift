import DocumentStore
import Messaging

/// An approval that a run waits for.
///
/// `runApprovals/{…}`: `approvalId`, `runId`, `serverId`?, `repoName`?, `promptPreview`?, `requestedAt`, `sent` (the
/// number of notifications so far), `dueAt`? (the time of the next reminder), `resolvedAt`?
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

    /// Returns `nil` if the document lacks a required field.
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

    /// - Parameter delays: The delays of the reminders, counted from the request.
    func fields(remindingAfter delays: [Duration]) -> Fields {
        var fields = texts.fields
        fields[Field.id] = .string(id)
        fields[Field.runID] = .string(runID)
        fields[Field.requestedAt] = .timestamp(requestedAt)
        fields[Field.sent] = .integer(Int64(sent))
        if sent <= delays.count { fields[Field.dueAt] = .timestamp(requestedAt.adding(delays[sent - 1])) }
        return fields
    }

    /// Returns the fields of a resolved approval, which are enough to recognise it.
    static func resolved(_ id: String, at time: Timestamp) -> Fields {
        [Field.id: .string(id), Field.resolvedAt: .timestamp(time)]
    }
}

/// The reminders of pending approvals. A reminder and the time of the next one are in the same commit, so a restart
/// repeats nothing and skips nothing.
struct ApprovalReminders: Sendable {
    let delays: [Duration]
    let outbox: Outbox
    let devices: DeviceRegistry
    let store: any DocumentStore

    func remind(of document: Document) async throws {
        guard var approval = Approval(document) else { throw UnreadableApproval(path: document.path) }
        let badge = try await store.document(at: RunsDocuments.badge())?[RunsDocuments.pending]?.integer ?? 0
        let message = RunNotification.approval(approval, number: approval.sent, badge: badge)
        approval.sent += 1
        let write = Write.set(
            document.path, approval.fields(remindingAfter: delays), precondition: .updateTime(document.updateTime))
        let devices = try await devices.all()
        do {
            try await outbox.send(
                message, of: Runs.source, for: RunNotification.lifetime, to: devices,
                badge: try RunsDocuments.badgeCounter(), alongside: [write])
        } catch {
            // The approval was resolved at the same moment.
            guard error.code == .failedPrecondition else { throw error }
        }
    }
}

/// A document in the collection of approvals that is not an approval.
struct UnreadableApproval: Error, CustomStringConvertible {
    let path: DocumentPath

    var description: String { "\(path) is not an approval; delete it" }
}
