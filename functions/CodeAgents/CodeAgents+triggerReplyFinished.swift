import DocumentStore
import HTTPTypes
import JSON
import Logging
import Messaging

/// `POST /triggerReplyFinished`: notifies the devices subscribed to an agent that a reply is finished.
extension CodeAgents {
    @Sendable func triggerReplyFinished(_ request: CheckedRequest) async throws -> FunctionResponse {
        do {
            return try await triggerReplyFinished(request, from: cache)
        } catch let error as StoreError where error.code == .aborted {
            // Nothing was accepted, because another gateway may have changed what was in memory.
            return try await triggerReplyFinished(request, from: nil)
        }
    }

    /// - Throws: ``StoreError/outdated`` if documents from the cache may be outdated; nothing was accepted then.
    private func triggerReplyFinished(
        _ request: CheckedRequest, from cache: DocumentCache?
    ) async throws -> FunctionResponse {
        let reply = try FinishedReply(request)
        let server = try CodeAgentsDocuments.server(request.serverKey)
        let path = try reply.agent.path(below: server)
        let devices = try path.collection(CodeAgentsDocuments.devices)
        // An id that is not a valid document id belongs to no device.
        let excluded = reply.excludedInstallationID.flatMap { try? devices.document($0) }
        let known = try await documents(at: server, path, devices, excluded, from: cache)
        if known.mark != nil, needsPresentState(known) { throw StoreError.outdated }
        try checkAccess(of: known.server)
        let idempotent = try request.idempotent(at: "triggerReplyFinished")
        // A commit that accepts nothing would leave a record without an answer, for which the second attempt waits.
        if known.mark != nil, idempotent != nil { throw StoreError.outdated }
        guard let registered = known.server, registered.isOfRegisteredServer else {
            return TriggerAnswer.unknownServer
        }
        let notification = ReplyNotification(
            reply: reply, agentDisplayName: known.agent?[CodeAgentsDocuments.Field.agentDisplayName]?.string)
        var draft = Draft(
            message: notification.message, lifetime: ReplyNotification.lifetime, source: Self.source,
            owner: CodeAgentsDocuments.owner(request.serverKey),
            registrationFields: CodeAgentsDocuments.registrationFields)
        draft.mark = known.mark
        let trigger = ReadyTrigger(
            reply: reply, preference: request.preference, draft: draft,
            audience: audience(devices, reply, known.excluded), firstPage: known.firstPage,
            writes: refresh(registered, known.agent, of: reply.agent), server: registered, folder: known.agent)
        guard let idempotent else { return try await send(trigger) }
        return try await idempotency.answer(to: idempotent) { acceptance in
            try await answer(to: trigger, from: acceptance)
        } work: { companion in
            try await send(trigger.accompanied(by: companion))
        }
    }

    /// Returns `true` if a trigger does more than to accept a message, or may be refused: its documents must be the
    /// present ones before that.
    private func needsPresentState(_ known: TriggerDocuments) -> Bool {
        let showsCards = known.server?[CodeAgentsDocuments.Field.showsProgress]?.boolean == true && cards != nil
        guard let server = known.server, server.isOfRegisteredServer, !showsCards else { return true }
        return (try? checkAccess(of: server)) == nil
    }

    /// Returns the documents of a trigger, all as of one moment, with all commits that were answered before. With a
    /// mark, this holds if a commit that depends on it succeeds.
    private func documents(
        at server: DocumentPath, _ agent: DocumentPath, _ devices: CollectionPath, _ excluded: DocumentPath?,
        from cache: DocumentCache?
    ) async throws(StoreError) -> TriggerDocuments {
        func read() async throws(StoreError) -> (named: [Document?], matching: [Document]) {
            try await store.documents(
                at: [server, agent] + [excluded].compactMap(\.self), matching: Audience.firstPage(of: devices))
        }
        guard let cache else { return TriggerDocuments(try await read(), excluded) }
        let answer = try await cache.documents(
            at: [server, agent], all: devices, upTo: Audience.pageSize, orRead: read)
        return TriggerDocuments((answer.named, answer.matching), excluded, mark: answer.mark)
    }

    private func send(_ trigger: ReadyTrigger) async throws -> FunctionResponse {
        try await endCard(of: trigger.reply, trigger.server, trigger.folder)
        let delivery = try await broadcaster.submit(
            trigger.draft, to: trigger.audience, trigger.firstPage, alongside: trigger.writes)
        let progress = try await progress(of: delivery, trigger.reply, trigger.preference)
        log(trigger.reply, delivery.messageID, progress)
        return try await answer(to: trigger, progress)
    }

    /// Returns the answer to a trigger whose first answer was lost, with the present counts.
    private func answer(
        to trigger: ReadyTrigger, from acceptance: MessageAcceptance
    ) async throws -> FunctionResponse {
        var progress = DeliveryProgress(excluded: acceptance.excluded)
        if let id = acceptance.messageID, let record = try await history.delivery(of: id) {
            progress = DeliveryProgress(of: record, excluded: acceptance.excluded)
        }
        return try await answer(to: trigger, progress)
    }

    private func answer(
        to trigger: ReadyTrigger, _ progress: DeliveryProgress
    ) async throws(StoreError) -> FunctionResponse {
        guard progress.attempted > 0 else {
            // The excluded devices may be all there were in memory; there was no message whose commit would have told.
            guard trigger.draft.mark == nil else { throw .outdated }
            return try await noDevices(of: trigger.reply.agent, excluded: progress.excluded)
        }
        return TriggerAnswer.answer(
            progress, isPreviewIncluded: trigger.reply.preview != nil, prefersAsync: trigger.preference.isAsync)
    }

    /// Returns the agent's devices, except the excluded installation and all devices with its token or an excluded one.
    private func audience(_ devices: CollectionPath, _ reply: FinishedReply, _ excluded: Document?) -> Audience {
        let token = excluded?[CodeAgentsDocuments.Field.token]?.string
        let excludedToken = reply.excludedToken.map { reach.forms.address(of: $0.value).token }
        return Audience(
            of: devices, excluding: reply.excludedInstallationID,
            [token.map { RegistrationToken($0) }, excludedToken, reply.excludedEndpoint].compactMap(\.self))
    }

    /// The longest wait before a response, for clients that send their own limit or are known to wait longer than the
    /// default.
    private static let longestWait = Duration.seconds(10)

    /// Waits until each device has been tried once. For a client that waits longer, waits until no retries are left.
    private func progress(
        of delivery: Delivery, _ reply: FinishedReply, _ preference: Preference
    ) async throws(StoreError) -> DeliveryProgress {
        if preference.isAsync { return try await delivery.progress(waiting: .zero) }
        guard let wait = preference.wait ?? (reply.isFromNewerDaemon ? Self.longestWait : nil) else {
            return try await delivery.firstAttempts(waiting: settings.triggerWait)
        }
        let bound = min(wait, Self.longestWait)
        return try await delivery.progress(waiting: bound, forRetriesUntil: now().adding(bound))
    }

    /// Returns the writes that keep server and agent from being cleaned up: none if the stored times are current.
    ///
    /// - Parameter folder: The agent's document.
    private func refresh(_ server: Document, _ folder: Document?, of agent: Agent) -> [Write] {
        typealias Field = CodeAgentsDocuments.Field
        let time = now()
        activity.note(agent.serverKey, at: time)
        var writes: [Write] = []
        if !ServerActivity.isCurrent(server[Field.lastSeenAt]?.timestamp, at: time) {
            writes.append(.merge(server.path, [Field.lastSeenAt: .timestamp(time)]))
        }
        if let folder, !ServerActivity.isCurrent(folder[Field.updatedAt]?.timestamp, at: time) {
            writes.append(.merge(folder.path, [Field.updatedAt: .timestamp(time)]))
        }
        return writes
    }

    private func noDevices(of agent: Agent, excluded: Int) async throws(StoreError) -> FunctionResponse {
        guard excluded == 0 else { return TriggerAnswer.noDevices(excluded: excluded, warning: nil) }
        return TriggerAnswer.noDevices(excluded: 0, warning: try await warning(about: agent))
    }

    /// Returns a warning if the folder has no devices, and has some when it is spelled with a slash at its end, or
    /// without; `nil` otherwise. The whole text identifies an agent.
    private func warning(about agent: Agent) async throws(StoreError) -> String? {
        let hasSlash = agent.cwd.hasSuffix("/")
        let other = hasSlash ? String(agent.cwd.dropLast()) : agent.cwd + "/"
        guard !other.isEmpty else { return nil }
        var devices = Query.collection(try Agent(serverKey: agent.serverKey, cwd: other).devices).limited(to: 1)
        devices.projection = []
        guard try await !store.documents(matching: devices).isEmpty else { return nil }
        return "no device is registered for \(agent.cwd), and some are for \(other), \(hasSlash ? "without" : "with") "
            + "a slash at its end; use one of the two for both calls"
    }

    private func log(_ reply: FinishedReply, _ messageID: String, _ progress: DeliveryProgress) {
        logger.debug(
            "handled a trigger",
            metadata: [
                "agent": "\(reply.agent.key.prefix(8))", "message": "\(messageID)",
                "attempted": "\(progress.attempted)", "sent": "\(progress.sent)", "pruned": "\(progress.pruned)",
                "pending": "\(progress.pending)", "finishedAt": "\(reply.finishedAt ?? "-")",
            ])
    }
}

/// The documents that a trigger reads.
private struct TriggerDocuments: Sendable {
    let server: Document?
    let agent: Document?
    /// The first of the agent's devices.
    let firstPage: [Document]
    /// The device of the installation that gets no notification.
    let excluded: Document?
    /// The condition under which the documents are the present ones; `nil` if they are in any case.
    let mark: DocumentCache.Mark?

    /// - Parameters:
    ///   - documents: The server, the agent and, unless the page has all devices, the excluded one; and the page.
    ///   - path: The path of the excluded device.
    init(
        _ documents: (named: [Document?], matching: [Document]), _ path: DocumentPath?, mark: DocumentCache.Mark? = nil
    ) {
        self.mark = mark
        server = documents.named[0]
        agent = documents.named[1]
        firstPage = documents.matching
        excluded =
            if documents.named.count > 2 {
                documents.named[2]
            } else {
                path.flatMap { path in documents.matching.first { $0.path == path } }
            }
    }
}

/// A trigger that has passed all checks.
private struct ReadyTrigger: Sendable {
    let reply: FinishedReply
    let preference: Preference
    var draft: Draft
    let audience: Audience
    /// The first of the agent's devices.
    let firstPage: [Document]
    /// The writes that keep server and agent from being cleaned up.
    let writes: [Write]
    let server: Document
    /// The agent's document.
    let folder: Document?

    func accompanied(by companion: @escaping Draft.Companion) -> ReadyTrigger {
        var trigger = self
        trigger.draft.companion = companion
        return trigger
    }
}

/// A valid body of `triggerReplyFinished`.
struct FinishedReply: Sendable {
    let agent: Agent
    let conversationID: String?
    let completionID: String?
    let renderableAssistantCount: ScriptInteger?
    let assistantMessageCursor: ScriptInteger?
    let cursorVersion: ScriptInteger?
    /// The time at which the reply was finished, by the daemon's clock. It is logged, not pushed.
    let finishedAt: String?
    /// The beginning of the reply in displayable form; `nil` if it was not sent, not wanted, or is empty after
    /// clean-up.
    let preview: String?
    /// The installation that gets no notification, for example because its user already sees the reply.
    let excludedInstallationID: String?
    /// The token whose devices get no notification.
    let excludedToken: RegistrationToken?
    /// The endpoint of the browser that gets no notification: the token of its address.
    let excludedEndpoint: RegistrationToken?

    /// `true` if only the newer daemon, which waits for 15 s, can have sent the body.
    var isFromNewerDaemon: Bool {
        renderableAssistantCount != nil || assistantMessageCursor != nil || cursorVersion != nil
    }

    /// Reads the fields in the contract's order, because the first that is too long is the answer.
    init(_ request: CheckedRequest) throws(CodeAgentsError) {
        let fields = request.fields
        let cwd = try fields.optional(.cwd)
        conversationID = try fields.optional(.conversationID)
        excludedInstallationID = try fields.optional(.excludeInstallationID)
        excludedToken = try fields.optional(.excludeFCMToken).map { RegistrationToken($0) }
        excludedEndpoint = try fields.endpoint(.excludeWebPush).map { RegistrationToken($0) }
        completionID = try fields.optional(.completionID)
        guard let cwd else { throw fields.missing(.cwd) }
        agent = Agent(serverKey: request.serverKey, cwd: cwd)
        renderableAssistantCount = fields.scriptInteger("renderable_assistant_count")
        assistantMessageCursor = fields.scriptInteger("assistant_message_cursor")
        cursorVersion = fields.scriptInteger("cursor_version")
        finishedAt = fields.string("finished_at").map { String($0.prefix(64)) }
        // Older clients do not know the flag and want their preview; newer ones always send it.
        let wantsPreview = fields.boolean("include_preview") ?? true
        // The white space around it is left out with that inside it.
        preview = wantsPreview ? fields.value("message_preview")?.string.flatMap(Preview.text) : nil
    }
}
