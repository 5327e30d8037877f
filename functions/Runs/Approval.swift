import DocumentStore
import Messaging

/// An approval that a run waits for.
///
/// `runApprovals/{…}`: `approvalId`, `runId`, `serverId`?, `repoName`?, `promptPreview`?, `requestedAt`, `expiresAt`
/// (the time after which no decision is taken), `sent` (the number of notifications so far), `dueAt`? (the time of the
/// next reminder, or else of the expiry), `isExpired`? (`true` once its card has shown that), `decision`? and
/// `decidedAt`? (once somebody has decided), `resolvedAt`?
struct Approval: Sendable {
    /// The decision of a person.
    enum Decision: String, Sendable {
        case approved, denied
    }

    enum Field {
        static let id = "approvalId"
        static let runID = "runId"
        static let requestedAt = "requestedAt"
        static let expiresAt = "expiresAt"
        static let decision = "decision"
        static let decidedAt = "decidedAt"
        static let sent = "sent"
        static let dueAt = "dueAt"
        static let isExpired = "isExpired"
        static let resolvedAt = "resolvedAt"
    }

    let id: String
    let runID: String
    let texts: RunTexts
    let requestedAt: Timestamp
    let expiresAt: Timestamp
    /// The decision and its time; `nil` as long as nobody has decided.
    var decided: (decision: Decision, at: Timestamp)?
    var sent = 1
    /// `true` once the card shows that the approval has expired.
    var isExpired = false

    /// The time for which an approval can be decided, if its request names none.
    static let lifetime = Duration.seconds(24 * 60 * 60)

    /// - Parameter expiry: The time after which no decision is taken; `nil` for the default.
    init(id: String, _ runID: String, _ texts: RunTexts, at time: Timestamp, expiring expiry: Timestamp? = nil) {
        self.id = id
        self.runID = runID
        self.texts = texts
        requestedAt = time
        expiresAt = expiry ?? time.adding(Self.lifetime)
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
        expiresAt = document[Field.expiresAt]?.timestamp ?? requestedAt.adding(Self.lifetime)
        decided = Self.decision(in: document)
        isExpired = document[Field.isExpired]?.boolean ?? false
        self.sent = Int(sent)
    }

    /// Returns the decision of an approval, also of one that is resolved; `nil` if nobody has decided.
    static func decision(in document: Document) -> (decision: Decision, at: Timestamp)? {
        guard let decision = document[Field.decision]?.string.flatMap(Decision.init(rawValue:)),
            let time = document[Field.decidedAt]?.timestamp
        else { return nil }
        return (decision, time)
    }

    /// - Parameter delays: The delays of the reminders, counted from the request.
    func fields(remindingAfter delays: [Duration]) -> Fields {
        var fields = texts.fields
        fields[Field.id] = .string(id)
        fields[Field.runID] = .string(runID)
        fields[Field.requestedAt] = .timestamp(requestedAt)
        fields[Field.expiresAt] = .timestamp(expiresAt)
        fields[Field.sent] = .integer(Int64(sent))
        fields[Field.decision] = decided.map { .string($0.decision.rawValue) }
        fields[Field.decidedAt] = decided.map { .timestamp($0.at) }
        if isExpired { fields[Field.isExpired] = .boolean(true) }
        if let dueAt = dueAt(delays) { fields[Field.dueAt] = .timestamp(dueAt) }
        return fields
    }

    /// Returns the time of the next reminder, or of the expiry if no reminder is left before it; `nil` if nobody can,
    /// or has to, decide any more.
    private func dueAt(_ delays: [Duration]) -> Timestamp? {
        guard decided == nil, !isExpired else { return nil }
        guard sent <= delays.count else { return expiresAt }
        return min(requestedAt.adding(delays[sent - 1]), expiresAt)
    }

    /// Returns the fields of a resolved approval, which are enough to recognise it, and its decision.
    ///
    /// - Parameter document: The approval before; `nil` if it was never requested.
    static func resolved(_ id: String, at time: Timestamp, after document: Document?) -> Fields {
        var fields: Fields = [Field.id: .string(id), Field.resolvedAt: .timestamp(time)]
        fields[Field.decision] = document?[Field.decision]
        fields[Field.decidedAt] = document?[Field.decidedAt]
        return fields
    }
}

/// The reminders of pending approvals, and their expiry. A reminder and the time of the next one are in the same
/// commit, so a restart repeats nothing and skips nothing.
struct ApprovalReminders: Sendable {
    let delays: [Duration]
    let outbox: Outbox
    let devices: DeviceRegistry
    let cards: ApprovalCards
    let decisions: ApprovalDecisions
    let store: any DocumentStore
    let now: @Sendable () -> Timestamp

    func remind(of document: Document) async throws {
        guard var approval = Approval(document) else { throw UnreadableApproval(path: document.path) }
        guard approval.expiresAt > now() else { return try await expire(approval, document) }
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

extension ApprovalReminders {
    /// Shows on the card that nobody can decide any more, and tells the requests that wait for a decision.
    private func expire(_ approval: Approval, _ document: Document) async throws {
        var approval = approval
        approval.isExpired = true
        let write = Write.set(
            document.path, approval.fields(remindingAfter: delays), precondition: .updateTime(document.updateTime))
        do {
            try await cards.close(approval, alongside: [write])
        } catch {
            // The approval was decided or resolved at the same moment, or another event changed its card. If it is
            // still due, it is looked at again at once.
            guard [.failedPrecondition, .alreadyExists, .notFound].contains(error.code) else { throw error }
        }
        decisions.changed()
    }
}

/// A document in the collection of approvals that is not an approval.
struct UnreadableApproval: Error, CustomStringConvertible {
    let path: DocumentPath

    var description: String { "\(path) is not an approval; delete it" }
}
