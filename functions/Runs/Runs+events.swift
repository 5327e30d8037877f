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
        while true {
            do {
                try await take(event)
                return FunctionResponse(status: .accepted, body: ["status": "accepted"])
            } catch let error as StoreError where error.code == .failedPrecondition || error.code == .alreadyExists {
                // Another event came between reading and writing.
                try Task.checkCancellation()
            }
        }
    }

    private func take(_ event: RunEvent) async throws {
        let known = try await knowledge(of: event)
        guard !known.isRepeated else {
            logger.debug("event was there already", metadata: ["type": "\(event.type)"])
            return
        }
        switch event.kind {
        case .approvalRequested(let id): try await request(id, event, known)
        case .approvalResolved(let id): try await resolve(id, event, known)
        case .runCompleted: try await end(event, known) { RunNotification.completed(event.runID, $0, badge: $1) }
        case .runFailed(let error):
            try await end(event, known) { RunNotification.failed(event.runID, $0, error: error, badge: $1) }
        case .runCancelled: try await end(event, known) { $1.map(RunNotification.badge) }
        case .other: _ = try await store.commit(try writes(for: event, known))
        }
    }

    // MARK: Reading and writing

    /// The documents that an event depends on.
    private struct Knowledge {
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

    /// Returns the writes of every event: that it has been dealt with, and what it says about its run if that is news.
    ///
    /// - Parameter changesRun: whether the run is written in any case, so that an approval that is asked for and the end of
    ///   the run cannot miss each other.
    private func writes(
        for event: RunEvent, _ known: Knowledge, changesRun: Bool = false
    ) throws(StoreError) -> [Write] {
        let mark = Write.create(
            try RunsDocuments.event(event.id),
            [RunsDocuments.type: .string(event.type), RunsDocuments.receivedAt: .timestamp(now())])
        var run = known.run
        run.take(event)
        return run != known.run || changesRun ? [mark, try run.write()] : [mark]
    }

    private func tell(_ message: Message, _ writes: [Write]) async throws {
        try await outbox.send(
            message, of: "runs", for: RunNotification.lifetime, to: try await devices.all(), alongside: writes)
    }

    // MARK: Approvals

    /// One that is waited for already, has been resolved, or was overtaken by its run's end, is nothing new.
    private func request(_ id: String, _ event: RunEvent, _ known: Knowledge) async throws {
        guard known.approval == nil, !known.run.hasEnded(before: event) else {
            logger.notice(
                "an approval is asked for that is known already, or whose run has ended; nobody is told",
                metadata: ["approval_id": "\(id.shortened(to: 60))"])
            _ = try await store.commit(try writes(for: event, known))
            return
        }
        let approval = Approval(id: id, event.runID, event.texts.filled(from: known.run.texts), at: now())
        let pending = known.pending.changed(by: 1)
        let create = Write.create(
            try RunsDocuments.approval(id), approval.fields(remindingAfter: configuration.reminders))
        try await tell(
            RunNotification.approval(approval, number: 0, badge: pending.value),
            try writes(for: event, known, changesRun: true) + [create, try pending.write()])
        escalation.look()
    }

    /// It may be resolved before it was asked for, when events overtake each other: then nobody is asked.
    private func resolve(_ id: String, _ event: RunEvent, _ known: Knowledge) async throws {
        let end = Write.set(
            try RunsDocuments.approval(id), Approval.resolved(id, at: now()),
            precondition: known.approval.map { .updateTime($0.updateTime) } ?? .exists(false))
        let writes = try writes(for: event, known) + [end]
        guard let document = known.approval, document[Approval.Field.resolvedAt] == nil else {
            _ = try await store.commit(writes)
            return
        }
        let pending = known.pending.changed(by: -1)
        try await tell(RunNotification.badge(pending.value), writes + [try pending.write()])
    }

    // MARK: The end of a run

    /// Ends what is pending of the run in the commit with the message.
    ///
    /// - Parameter message: made of the run's texts, and of the badge if that changes; `nil` if nobody is told.
    private func end(
        _ event: RunEvent, _ known: Knowledge, _ message: (RunTexts, Int64?) -> Message?
    ) async throws {
        var writes = try writes(for: event, known, changesRun: true)
        let approvals = try await pendingApprovals(of: event.runID)
        let pending = known.pending.changed(by: -approvals.count)
        writes += approvals.map(ending)
        if !approvals.isEmpty { writes.append(try pending.write()) }
        let texts = event.texts.filled(from: known.run.texts)
        guard let message = message(texts, approvals.isEmpty ? nil : pending.value) else {
            _ = try await store.commit(writes)
            return
        }
        try await tell(message, writes)
    }

    /// A resolved one has no run any more.
    private func pendingApprovals(of run: String) async throws(StoreError) -> [Document] {
        try await store.documents(
            matching: .collection(try RunsDocuments.approvals())
                .where(FieldPath(Approval.Field.runID), .equal, .string(run)))
    }

    private func ending(_ approval: Document) -> Write {
        .set(
            approval.path, Approval.resolved(approval[Approval.Field.id]?.string ?? "", at: now()),
            precondition: .updateTime(approval.updateTime))
    }
}
