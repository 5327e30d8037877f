import DocumentStore
import JSON
import Messaging

/// The decisions of people about approvals. A decision is bound to the approval's id and its expiry, and is taken once.
/// The run's server learns of it by a request that may wait for it, and reports that the approval is resolved.
extension Runs {
    /// The longest wait of a request for a decision.
    private static let longestWait = 30

    /// `GET /api/approvals/{id}?wait=`: returns the state of an approval, once it is no longer pending or the wait is
    /// over.
    @Sendable func readApproval(_ request: FunctionRequest) async throws -> FunctionResponse {
        let wait = try Self.wait(in: request)
        let path = try path(of: request)
        let end = now().adding(wait)
        while true {
            let seen = decisions.count
            let state = try await state(at: path)
            let time = now()
            guard state.value == .pending, time < end, !Task.isCancelled, !decisions.isShuttingDown else {
                return FunctionResponse(body: state.json)
            }
            await decisions.wait(after: seen, atMost: min(end, state.expiresAt ?? end) - time)
        }
    }

    /// `POST /api/approvals/{id}`: decides an approval. The same decision again is accepted without effect.
    @Sendable func decideApproval(_ request: FunctionRequest) async throws -> FunctionResponse {
        let decision = try Self.decision(in: try await request.jsonObject(limit: Self.maximumBodyBytes))
        let path = try path(of: request)
        while true {
            var state: ApprovalState?
            do throws(StoreError) {
                state = try await decide(decision, at: path)
            } catch {
                // An event, or another decision, was committed between reading and writing.
                guard [.failedPrecondition, .alreadyExists, .notFound].contains(error.code) else { throw error }
            }
            if let state { return try Self.answer(to: decision, state) }
            try Task.checkCancellation()
        }
    }

    /// Decides an approval if it is pending, in one commit with its card and the event for webhooks.
    ///
    /// - Returns: The state of the approval; `nil` if it has to be read again.
    private func decide(_ decision: Approval.Decision, at path: DocumentPath) async throws(StoreError) -> ApprovalState?
    {
        guard let document = try await store.document(at: path) else { return .unknown }
        let time = now()
        let state = ApprovalState(document, at: time)
        guard state.value == .pending, var approval = Approval(document) else { return state }
        approval.decided = (decision, time)
        let write = Write.set(
            path, approval.fields(remindingAfter: settings.reminders), precondition: .updateTime(document.updateTime))
        let event = DeliveryEvent.ApprovalDecision(
            approval: approval.id, run: approval.runID, server: approval.texts.serverID, decision: decision.rawValue,
            decidedAt: time)
        let records = events?.writes(recording: [.decided(event)]) ?? []
        try await approvalCards.close(approval, alongside: [write] + records)
        if !records.isEmpty { events?.recorded() }
        decisions.changed()
        return try await store.document(at: path).map { ApprovalState($0, at: time) }
    }

    private static func answer(to decision: Approval.Decision, _ state: ApprovalState) throws(RunsError)
        -> FunctionResponse
    {
        switch state.value {
        case .unknown: throw .approvalNotFound
        case .expired: throw .expired
        case .decided(decision): return FunctionResponse(body: state.json)
        case .decided, .resolved, .pending: throw .alreadyDecided(state.value.name)
        }
    }

    private func state(at path: DocumentPath) async throws -> ApprovalState {
        guard let document = try await store.document(at: path) else { throw RunsError.approvalNotFound }
        return ApprovalState(document, at: now())
    }

    // MARK: Requests

    private func path(of request: FunctionRequest) throws(StoreError) -> DocumentPath {
        try RunsDocuments.approval((request.parameters["id"] ?? "").trimmingWhitespace())
    }

    private static func wait(in request: FunctionRequest) throws(RunsError) -> Duration {
        guard let text = request.query["wait"], !text.isEmpty else { return .zero }
        guard let seconds = Int(text), (0...longestWait).contains(seconds) else {
            throw .invalidInput("wait must be a whole number of seconds, \(longestWait) at most")
        }
        return .seconds(seconds)
    }

    private static func decision(in object: JSONObject) throws(RunsError) -> Approval.Decision {
        switch LooseFields(object).string("decision") {
        case "approve"?: return .approved
        case "deny"?: return .denied
        default: throw .invalidInput("decision must be 'approve' or 'deny'")
        }
    }
}

/// The state of an approval, as clients see it.
struct ApprovalState: Sendable {
    enum State: Hashable, Sendable {
        case unknown, pending, expired
        case decided(Approval.Decision)
        /// The run goes on, or has ended, without a decision here.
        case resolved

        var name: String {
            switch self {
            case .unknown: "unknown"
            case .pending: "pending"
            case .expired: "expired"
            case .decided(let decision): decision.rawValue
            case .resolved: "resolved"
            }
        }
    }

    let value: State
    let expiresAt: Timestamp?
    private let id: String
    private let decidedAt: Timestamp?

    static let unknown = ApprovalState(value: .unknown, expiresAt: nil, id: "", decidedAt: nil)

    private init(value: State, expiresAt: Timestamp?, id: String, decidedAt: Timestamp?) {
        self.value = value
        self.expiresAt = expiresAt
        self.id = id
        self.decidedAt = decidedAt
    }

    init(_ document: Document, at time: Timestamp) {
        let approval = Approval(document)
        let decided = Approval.decision(in: document)
        id = document[Approval.Field.id]?.string ?? ""
        decidedAt = decided?.at
        expiresAt = approval?.expiresAt
        if let decided {
            value = .decided(decided.decision)
        } else if let approval, document[Approval.Field.resolvedAt] == nil {
            value = approval.expiresAt > time ? .pending : .expired
        } else {
            value = .resolved
        }
    }

    var json: JSONValue {
        var json: JSONObject = ["approval_id": .string(id), "state": .string(value.name)]
        json["expires_at"] = expiresAt.map { .integer($0.seconds) }
        json["decided_at"] = decidedAt.map { .integer($0.seconds) }
        return .object(json)
    }
}
