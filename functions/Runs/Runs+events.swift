internal import DocumentStore
internal import HTTPTypes
internal import JSON
internal import Logging
internal import Messaging

/// What servers report.
extension Runs {
    /// An event that has been dealt with is accepted again, and does nothing again.
    @Sendable func takeEvent(_ request: FunctionRequest) async throws -> FunctionResponse {
        let event = try RunEvent(try await object(of: request))
        do {
            try await apply(event)
        } catch let error as StoreError where error.code == .alreadyExists {
            logger.debug("event was there already", metadata: ["type": "\(event.type)"])
        }
        return FunctionResponse(status: .accepted, body: ["status": "accepted"])
    }

    private func apply(_ event: RunEvent) async throws {
        switch event.kind {
        case .approvalRequested(let id): try await request(Approval(id: id, event, at: now()), event)
        case .approvalResolved(let id): try await resolve(id, event)
        case .runCompleted: try await tell(RunNotification.completed(event), event)
        case .runFailed(let error): try await tell(RunNotification.failed(event, error: error), event)
        case .other: _ = try await store.commit([try mark(event)])
        }
    }

    private func tell(_ message: Message, _ event: RunEvent, _ writes: [Write] = []) async throws {
        try await outbox.send(
            message, of: "runs", for: RunNotification.lifetime, to: try await devices.all(),
            alongside: [try mark(event)] + writes)
    }

    /// That the event has been dealt with: fails when it was before.
    private func mark(_ event: RunEvent) throws(StoreError) -> Write {
        .create(
            try RunsDocuments.event(event.id),
            [RunsDocuments.type: .string(event.type), RunsDocuments.receivedAt: .timestamp(now())])
    }

    // MARK: Approvals

    /// One that is waited for already, or has been resolved, is nothing new.
    private func request(_ approval: Approval, _ event: RunEvent) async throws {
        let path = try RunsDocuments.approval(approval.id)
        guard try await store.document(at: path) == nil else {
            _ = try await store.commit([try mark(event)])
            return
        }
        try await countingPending(by: 1) { badge, count in
            let create = Write.create(path, approval.fields(remindingAfter: configuration.reminders))
            try await tell(RunNotification.approval(approval, number: 0, badge: badge), event, [create, count])
        }
        escalation.look()
    }

    /// It may be resolved before it was asked for, when events overtake each other: then nobody is asked.
    private func resolve(_ id: String, _ event: RunEvent) async throws {
        let path = try RunsDocuments.approval(id)
        let resolved: Fields = [Approval.Field.id: .string(id), Approval.Field.resolvedAt: .timestamp(now())]
        try await countingPending(by: -1) { badge, count in
            guard let document = try await store.document(at: path), document[Approval.Field.resolvedAt] == nil else {
                _ = try await store.commit([try mark(event), .set(path, resolved)])
                return
            }
            let end = Write.set(path, resolved, precondition: .updateTime(document.updateTime))
            try await tell(RunNotification.badge(badge), event, [end, count])
        }
    }

    /// Hands on what the badge becomes, and the write that says so; again, when somebody else has changed it, or what the
    /// body has read, meanwhile.
    private func countingPending(by change: Int64, _ body: (Int64, Write) async throws -> Void) async throws {
        let path = try RunsDocuments.badge()
        while true {
            guard let document = try await store.document(at: path) else {
                _ = try await store.commit([
                    .merge(
                        path, [:],
                        transforms: [FieldTransform(FieldPath(RunsDocuments.pending), .increment(.integer(0)))])
                ])
                continue
            }
            let pending = max(0, (document[RunsDocuments.pending]?.integer ?? 0) + change)
            let count = Write.set(
                path, [RunsDocuments.pending: .integer(pending)], precondition: .updateTime(document.updateTime))
            do {
                return try await body(pending, count)
            } catch let error as StoreError where error.code == .failedPrecondition {
                try Task.checkCancellation()
            }
        }
    }
}
