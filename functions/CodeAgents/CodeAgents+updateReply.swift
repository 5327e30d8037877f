import DocumentStore
import JSON
import Messaging

/// `POST /updateReply`: shows the progress of a reply on the lock screens of the agent's devices.
extension CodeAgents {
    @Sendable func updateReply(_ request: CheckedRequest) async throws -> FunctionResponse {
        let update = try ReplyUpdate(request)
        let path = try CodeAgentsDocuments.server(request.serverKey)
        let agent = try update.agent.path(below: path)
        let documents = try await store.documents(at: [path, agent])
        try checkAccess(of: documents[0])
        guard let server = documents[0], server.isOfRegisteredServer else { return UpdateAnswer.none("unknown_server") }
        guard let cards else { return UpdateAnswer.none("no_live_activity") }
        guard update.event.isEnd || !unshownAgents.contains(agent, at: now()) else {
            return UpdateAnswer.none("no_live_activity")
        }
        let changes = unshownAgents.changes
        try await noteProgress(of: server)
        let reach = try await cards.take(
            update.event, of: try ReplyCard.run(update.agent, update.conversationID, documents[1]))
        if reach.isUnshown { unshownAgents.insert(agent, at: now(), since: changes) }
        guard reach.devices > 0 else { return UpdateAnswer.none("no_live_activity") }
        return UpdateAnswer.shown(on: reach.devices)
    }

    /// Notes once that a server reports progress. Only its triggers look for a card to end.
    private func noteProgress(of server: Document) async throws(StoreError) {
        let field = CodeAgentsDocuments.Field.showsProgress
        guard server[field]?.boolean != true else { return }
        _ = try await store.commit([.update(server.path, [field: .boolean(true)])])
    }

    /// Ends the card of a finished reply, if its server reports progress.
    func endCard(of reply: FinishedReply, _ server: Document, _ folder: Document?) async throws(StoreError) {
        guard server[CodeAgentsDocuments.Field.showsProgress]?.boolean == true, let cards else { return }
        let text = reply.preview?.shortened(to: CardState.maximumText)
        try await cards.take(
            .ended(.finished, text: text), of: try ReplyCard.run(reply.agent, reply.conversationID, folder))
    }
}

extension CardEvent {
    /// `true` for the end of a reply. A card whose devices have all left is ended too.
    fileprivate var isEnd: Bool { if case .ended = self { true } else { false } }
}

/// The card of a reply.
enum ReplyCard {
    /// Returns the run of a reply. One conversation has one card after the other.
    ///
    /// - Parameter folder: The agent's document.
    static func run(
        _ agent: Agent, _ conversationID: String?, _ folder: Document?
    ) throws(StoreError) -> CardRun {
        var attributes = ["server_key": agent.serverKey, "agent_key": agent.key, "cwd": agent.cwd]
        attributes["conversation_id"] = conversationID
        return CardRun(
            source: CodeAgents.source, owner: CodeAgentsDocuments.owner(agent.serverKey),
            name: "\(agent.key)/\(conversationID ?? "")",
            title: ReplyNotification.title(
                of: agent, displayName: folder?[CodeAgentsDocuments.Field.agentDisplayName]?.string),
            attributes: attributes, devices: try agent.devices,
            registrationFields: CodeAgentsDocuments.registrationFields, mayGoOn: true)
    }
}

/// A valid body of `updateReply`.
struct ReplyUpdate: Sendable {
    /// The values of `state`.
    private enum State: String, CaseIterable {
        case running, waiting, finished, failed, cancelled
    }

    let agent: Agent
    let conversationID: String?
    let event: CardEvent

    /// Reads the fields in the contract's order, because the first that is too long is the answer.
    init(_ request: CheckedRequest) throws(CodeAgentsError) {
        let fields = request.fields
        let cwd = try fields.optional(.cwd)
        conversationID = try fields.optional(.conversationID)
        let state = try fields.optional(.state)
        let step = try fields.optional(.step)?.shortened(to: BodyField.step.maximumLength)
        let text = try fields.optional(.text)?.shortened(to: BodyField.text.maximumLength)
        guard let cwd else { throw fields.missing(.cwd) }
        agent = Agent(serverKey: request.serverKey, cwd: cwd)
        let progress = CardProgress(
            isWaiting: state == State.waiting.rawValue, step: step, percentage: try Self.percentage(in: fields),
            text: text, sequence: fields.integer("seq"))
        guard let known = State(rawValue: state ?? State.running.rawValue) else {
            let states = State.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest("\(BodyField.state.name) must be one of: \(states)")
        }
        event =
            switch known {
            case .running, .waiting: .progress(progress)
            case .finished: .ended(.finished, text: text)
            case .failed: .ended(.failed, text: text)
            case .cancelled: .ended(.cancelled, text: text)
            }
    }

    private static func percentage(in fields: LooseFields) throws(CodeAgentsError) -> Int64? {
        guard let percentage = fields.integer("percentage") else { return nil }
        guard (0...100).contains(percentage) else { throw .badRequest("percentage must be from 0 to 100") }
        return percentage
    }
}

/// The response to an update: 200, with the number of devices.
private enum UpdateAnswer {
    static func shown(on devices: Int) -> FunctionResponse {
        FunctionResponse(body: ["ok": true, "devices": .integer(Int64(devices))])
    }

    /// - Parameter reason: The reason why no device shows the reply.
    static func none(_ reason: String) -> FunctionResponse {
        FunctionResponse(body: ["ok": true, "devices": 0, "reason": .string(reason)])
    }
}
