/// Entries of the log.
extension PushSubscriptions {
    func logSuccess(of step: TurnPlan.Step) {
        switch step {
        case .register: logger.log(.info, "registered a chat", step.facts)
        case .unregister: logger.log(.info, "unregistered", step.facts)
        }
    }

    func log(_ error: PushClientError, of step: TurnPlan.Step) {
        let facts = step.facts.merging(["error": error.description]) { $1 }
        switch step {
        case .register: logger.log(.warning, "failed to register a chat", facts)
        case .unregister: logger.log(.warning, "failed to unregister", facts)
        }
    }
}

extension TurnPlan.Step {
    /// The server, and the beginning of the chat's agent key: a folder's name says more than a log should.
    fileprivate var facts: [String: String] {
        switch self {
        case .register(let chat, _, _): Self.facts(chat.serverID, chat)
        case .unregister(let departure, _): Self.facts(departure.serverID, departure.chat)
        }
    }

    private static func facts(_ serverID: String, _ chat: Chat?) -> [String: String] {
        var facts = ["server": serverID]
        facts["agent"] = chat.map { String($0.agentKey.prefix(8)) }
        return facts
    }
}
