internal import DocumentStore
internal import HTTPTypes
internal import JSON
internal import Logging
internal import Messaging

/// `POST /triggerReplyFinished`: a run ended, and the phones that watch the agent are to know.
extension CodeAgents {
    @Sendable func triggerReplyFinished(_ request: CheckedRequest) async throws -> FunctionResponse {
        let reply = try FinishedReply(request)
        let server = try CodeAgentsDocuments.server(request.serverKey)
        let path = try reply.agent.path(below: server)
        let (known, devices) = try await store.documents(
            at: [server, path], matching: .collection(try path.collection(CodeAgentsDocuments.devices)))
        guard known.first.flatMap(\.self) != nil else { return TriggerAnswer.unknownServer }
        let agent = known.last.flatMap(\.self)
        let selection = DeviceSelection(of: devices, excluding: reply.exclusion)
        let refresh = try refresh(server: server, agent: agent)
        guard !selection.targets.isEmpty else {
            _ = try await store.commit(refresh)
            return TriggerAnswer.noDevices(excluded: selection.excluded)
        }
        let notification = ReplyNotification(
            reply: reply, agentDisplayName: agent?[CodeAgentsDocuments.Field.agentDisplayName]?.string)
        let delivery = try outbox.submit(
            Draft(
                message: notification.message, lifetime: ReplyNotification.lifetime, source: "codeagents",
                owner: CodeAgentsDocuments.owner(request.serverKey),
                registrationFields: CodeAgentsDocuments.registrationFields),
            to: selection.targets, alongside: refresh)
        let progress = try await progress(of: delivery, reply, request.preference)
        log(reply, delivery.messageID, progress)
        return TriggerAnswer.answer(
            progress, excluded: selection.excluded, isPreviewIncluded: reply.preview != nil,
            prefersAsync: request.preference.isAsync)
    }

    /// The most that an answer waits, for a client that says how long it does or is known to wait for longer.
    private static let longestWait = Duration.seconds(10)

    /// Waits until each phone has been tried once; for a client that waits for longer, until nothing can be tried again.
    private func progress(
        of delivery: Delivery, _ reply: FinishedReply, _ preference: Preference
    ) async throws(StoreError) -> DeliveryProgress {
        if preference.isAsync { return try await delivery.progress(waiting: .zero) }
        guard let wait = preference.wait ?? (reply.isFromNewerDaemon ? Self.longestWait : nil) else {
            return try await delivery.firstAttempts(waiting: configuration.triggerWait)
        }
        let bound = min(wait, Self.longestWait)
        return try await delivery.progress(waiting: bound, forRetriesUntil: now().adding(bound))
    }

    /// What keeps server and agent from being cleaned up.
    private func refresh(server: DocumentPath, agent: Document?) throws -> [Write] {
        let time = Value.timestamp(now())
        let serverWrite = Write.merge(server, [CodeAgentsDocuments.Field.lastSeenAt: time])
        guard let agent else { return [serverWrite] }
        return [serverWrite, .merge(agent.path, [CodeAgentsDocuments.Field.updatedAt: time])]
    }

    private func log(_ reply: FinishedReply, _ messageID: String, _ progress: DeliveryProgress) {
        logger.debug(
            "trigger",
            metadata: [
                "agent": "\(reply.agent.key.prefix(8))", "message": "\(messageID)",
                "attempted": "\(progress.attempted)", "sent": "\(progress.sent)", "pruned": "\(progress.pruned)",
                "pending": "\(progress.pending)", "finishedAt": "\(reply.finishedAt ?? "-")",
            ])
    }
}
