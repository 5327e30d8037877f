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
        let devices = try path.collection(CodeAgentsDocuments.devices)
        // An id that cannot be a document's is nobody's.
        let excluded = reply.excludedInstallationID.flatMap { try? devices.document($0) }
        let (known, page) = try await store.documents(
            at: [server, path] + [excluded].compactMap(\.self), matching: Audience.firstPage(of: devices))
        guard known[0] != nil else { return TriggerAnswer.unknownServer }
        let notification = ReplyNotification(
            reply: reply, agentDisplayName: known[1]?[CodeAgentsDocuments.Field.agentDisplayName]?.string)
        let delivery = try broadcaster.submit(
            Draft(
                message: notification.message, lifetime: ReplyNotification.lifetime, source: "codeagents",
                owner: CodeAgentsDocuments.owner(request.serverKey),
                registrationFields: CodeAgentsDocuments.registrationFields),
            to: audience(devices, reply, known.dropFirst(2).first.flatMap(\.self)), page,
            alongside: try refresh(server: server, agent: known[1]))
        let progress = try await progress(of: delivery, reply, request.preference)
        log(reply, delivery.messageID, progress)
        guard progress.attempted > 0 else { return TriggerAnswer.noDevices(excluded: progress.excluded) }
        return TriggerAnswer.answer(
            progress, isPreviewIncluded: reply.preview != nil, prefersAsync: request.preference.isAsync)
    }

    /// The agent's devices, but for the excluded installation, and all that have its token or the excluded one.
    private func audience(_ devices: CollectionPath, _ reply: FinishedReply, _ excluded: Document?) -> Audience {
        let token = excluded?[CodeAgentsDocuments.Field.token]?.string
        return Audience(
            of: devices, topicField: CodeAgentsDocuments.Field.bundleID, excluding: reply.excludedInstallationID,
            [token.map { RegistrationToken($0) }, reply.excludedToken].compactMap(\.self))
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
