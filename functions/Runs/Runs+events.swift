import DocumentStore
import HTTPTypes
import JSON
import Logging
import Messaging

/// The events that servers report.
extension Runs {
    /// Accepts an event. A repeated event is accepted without effect.
    @Sendable func takeEvent(_ request: FunctionRequest) async throws -> FunctionResponse {
        let event = try RunEvent(try await request.jsonObject(limit: Self.maximumBodyBytes))
        while true {
            do throws(StoreError) {
                try await take(event)
                return FunctionResponse(status: .accepted, body: ["status": "accepted"])
            } catch {
                // Another event was committed between reading and writing.
                guard [.failedPrecondition, .alreadyExists, .notFound].contains(error.code) else { throw error }
            }
            try Task.checkCancellation()
        }
    }

    private func take(_ event: RunEvent) async throws(StoreError) {
        let known = try await knowledge(of: event)
        guard !known.isRepeated else {
            logger.debug("ignored a repeated event", metadata: ["type": "\(event.type)"])
            return
        }
        switch event.kind {
        case .approvalRequested(let id, let expiry): try await request(id, expiring: expiry, event, known)
        case .approvalResolved(let id): try await resolve(id, event, known)
        case .runCompleted: try await end(event, known) { RunNotification.completed(event.runID, $0, badge: $1) }
        case .runFailed(let error):
            try await end(event, known) { RunNotification.failed(event.runID, $0, error: error, badge: $1) }
        case .runCancelled: try await end(event, known) { $1.map(RunNotification.badge) }
        case .runStarted(let progress): try await show(.started(progress), event, known)
        case .runProgress(let progress): try await show(.progress(progress), event, known)
        case .other: _ = try await store.commit(try writes(for: event, known))
        }
    }

    // MARK: Reading and writing

    /// The documents that affect the processing of an event.
    struct Knowledge {
        let isRepeated: Bool
        let run: Run
        let pending: PendingCount
        /// The document of the event's approval, if it has one.
        let approval: Document?
    }

    private func knowledge(of event: RunEvent) async throws(StoreError) -> Knowledge {
        var paths = [
            try RunsDocuments.event(event.id), try RunsDocuments.run(event.runID), try RunsDocuments.badge(),
        ]
        if let id = event.kind.approvalID { paths.append(try RunsDocuments.approval(id)) }
        let documents = try await store.documents(at: paths)
        return Knowledge(
            isRepeated: documents[0] != nil, run: Run(id: event.runID, documents[1]),
            pending: PendingCount(documents[2]), approval: documents.count > 3 ? documents[3] : nil)
    }

    /// Returns the writes that every event needs: the mark that it is processed, and its run if that changes.
    ///
    /// - Parameter changesRun: `true` to write the run in any case. So a request for an approval and the end of its
    ///   run cannot miss each other.
    func writes(
        for event: RunEvent, _ known: Knowledge, changesRun: Bool = false
    ) throws(StoreError) -> [Write] {
        let mark = Write.create(
            try RunsDocuments.event(event.id),
            [RunsDocuments.type: .string(event.type), RunsDocuments.receivedAt: .timestamp(now())])
        var run = known.run
        run.take(event)
        return run != known.run || changesRun ? [mark, try run.write()] : [mark]
    }

    /// - Parameters:
    ///   - known: The devices, if they were read already.
    ///   - approvals: The ids of decided approvals, whose notifications are not sent any more.
    private func tell(
        _ message: Message, _ known: [Device]? = nil, withdrawing approvals: [String] = [], _ writes: [Write]
    ) async throws(StoreError) {
        let recipients: [Device]
        if let known { recipients = known } else { recipients = try await devices.all() }
        try await outbox.send(
            message, of: Runs.source, for: RunNotification.lifetime, to: recipients,
            withdrawing: approvals.map(RunNotification.collapseID), badge: try RunsDocuments.badgeCounter(),
            alongside: writes)
    }

    // MARK: Approvals

    /// Processes a request for an approval. It has no effect if the approval is known or the run has ended.
    private func request(
        _ id: String, expiring expiry: Timestamp?, _ event: RunEvent, _ known: Knowledge
    ) async throws(StoreError) {
        guard known.approval == nil, !known.run.hasEnded(before: event) else {
            logger.notice(
                "ignored an approval request: the approval is known or its run has ended",
                metadata: ["approval_id": "\(id.shortened(to: 60))"])
            try await closeIfResolved(id, event, known)
            return
        }
        let approval = Approval(
            id: id, event.runID, event.texts.filled(from: known.run.texts), at: now(), expiring: expiry)
        let documents = try await store.documents(matching: .collection(devices.collection))
        try await approvalCards.show(approval, on: documents)
        let pending = known.pending.changed(by: 1)
        let create = Write.create(
            try RunsDocuments.approval(id), approval.fields(remindingAfter: settings.reminders))
        try await tell(
            RunNotification.approval(approval, number: 0, badge: pending.value), devices.devices(of: documents),
            try writes(for: event, known, changesRun: true) + [create, try pending.write()])
        escalation.look()
    }

    /// Takes a question from the card that was resolved in the moment between its showing and the commit of its
    /// request.
    private func closeIfResolved(_ id: String, _ event: RunEvent, _ known: Knowledge) async throws(StoreError) {
        let writes = try writes(for: event, known)
        guard known.approval?[Approval.Field.resolvedAt] != nil else {
            _ = try await store.commit(writes)
            return
        }
        try await approvalCards.close(Approval(id: id, event.runID, event.texts, at: now()), alongside: writes)
    }

    /// Resolves an approval. If events overtake each other, this can come before the request, which then notifies no
    /// device.
    private func resolve(_ id: String, _ event: RunEvent, _ known: Knowledge) async throws(StoreError) {
        let end = Write.set(
            try RunsDocuments.approval(id), Approval.resolved(id, at: now(), after: known.approval),
            precondition: known.approval.map { .updateTime($0.updateTime) } ?? .exists(false))
        let writes = try writes(for: event, known) + [end]
        defer { decisions.changed() }
        guard let document = known.approval, document[Approval.Field.resolvedAt] == nil else {
            _ = try await store.commit(writes)
            return
        }
        if let approval = Approval(document) { try await approvalCards.close(approval) }
        let pending = known.pending.changed(by: -1)
        try await tell(RunNotification.badge(pending.value), withdrawing: [id], writes + [try pending.write()])
    }

    // MARK: The end of a run

    /// Resolves the pending approvals of the run in the same commit as the message.
    ///
    /// - Parameter message: Makes the message from the run's texts and the badge, if that changes; `nil` for no
    ///   message.
    private func end(
        _ event: RunEvent, _ known: Knowledge, _ message: (RunTexts, Int64?) -> Message?
    ) async throws(StoreError) {
        defer { decisions.changed() }
        var writes = try writes(for: event, known, changesRun: true)
        let approvals = try await pendingApprovals(of: event.runID)
        let pending = known.pending.changed(by: -approvals.count)
        writes += approvals.map(ending)
        if !approvals.isEmpty { writes.append(try pending.write()) }
        let texts = event.texts.filled(from: known.run.texts)
        try await endCard(of: event, texts)
        guard let message = message(texts, approvals.isEmpty ? nil : pending.value) else {
            _ = try await store.commit(writes)
            return
        }
        try await tell(message, withdrawing: approvals.compactMap { $0[Approval.Field.id]?.string }, writes)
    }

    /// Resolved approvals no longer have the field `runId`, so they are not found.
    private func pendingApprovals(of run: String) async throws(StoreError) -> [Document] {
        try await store.documents(
            matching: .collection(try RunsDocuments.approvals())
                .where(FieldPath(Approval.Field.runID), .equal, .string(run)))
    }

    private func ending(_ approval: Document) -> Write {
        .set(
            approval.path,
            Approval.resolved(approval[Approval.Field.id]?.string ?? "", at: now(), after: approval),
            precondition: .updateTime(approval.updateTime))
    }
}
