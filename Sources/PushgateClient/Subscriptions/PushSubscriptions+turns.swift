extension PushSubscriptions {
    /// Sends the requests that are due to a server's gateway, exclusively among all callers.
    ///
    /// - Parameter servers: The directory, read by the caller. It is read again after the wait for other callers,
    ///   because the secret or the base URL may have changed.
    func turn(of serverID: String, in servers: [PushServer], opening: SyncPlan.Opening? = nil) async -> TurnReport {
        let mark = failures.mark
        var next = Sync(of: serverID, in: servers, opening: opening)
        while let turn = next {
            guard await turns.take(turn.account) else { return report(on: turn, stoppedBy: .cancelled) }
            var report: TurnReport?
            do throws(PushClientError) {
                next = Sync(of: serverID, in: try await listedServers(), opening: opening)
                if let next, next.account == turn.account { report = await send(next, since: mark) }
            } catch {
                report = self.report(on: turn, stoppedBy: error)
            }
            await turns.giveBack(turn.account)
            if let report { return report }
        }
        return TurnReport(isListed: false)
    }

    func listedServers() async throws(PushClientError) -> [PushServer] {
        do {
            return try await directory.servers()
        } catch {
            guard !(error is CancellationError) else { throw .cancelled }
            logger.log(.error, "failed to read the servers")
            throw .serversUnreadable
        }
    }

    private func send(_ turn: Sync, since mark: ServerFailures.Mark) async -> TurnReport {
        if let error = failures.error(of: turn.account, since: mark, now: now()) {
            return report(on: turn, stoppedBy: error)
        }
        let relayError = await readRoute(for: turn)
        var report = TurnReport()
        await sendSteps(of: turn, &report)
        if let error = report.stoppedBy { failures.note(error, of: turn.account, now: now()) }
        report.stoppedBy = report.stoppedBy ?? relayError
        report.due = due(in: turn)
        return report
    }

    private func sendSteps(of turn: Sync, _ report: inout TurnReport) async {
        var tried: Set<SyncPlan.Step> = []
        do throws(PushClientError) {
            while report.stoppedBy == nil,
                let step = try nextStep(of: turn, except: tried, departing: !report.isFailingAtDepartures)
            {
                tried.insert(step)
                try await take(step, of: turn, &report)
            }
        } catch {
            report.stoppedBy = error
        }
    }

    private func nextStep(
        of turn: Sync, except tried: Set<SyncPlan.Step>, departing: Bool
    ) throws(PushClientError) -> SyncPlan.Step? {
        try change { $0.forgetDeparturesFromFollowedChats(among: turn.serverIDs) }
        return try plan(for: turn).nextStep(in: loaded(), except: tried, departing: departing)
    }

    /// Executes one step and records its result.
    ///
    /// - Throws: ``PushClientError`` if the list cannot be saved.
    private func take(
        _ step: SyncPlan.Step, of turn: Sync, _ report: inout TurnReport
    ) async throws(PushClientError) {
        do throws(PushClientError) {
            noteRemoval(in: try await send(step.request))
        } catch {
            if case .unregister(let departure, _) = step, turn.account.pairing != nil, error == .unauthorized {
                // The credential has ended: the answer to an earlier request was lost.
                return try change { $0.confirm(departure, among: turn.serverIDs) }
            }
            log(error, of: step)
            report.note(error, of: step)
            if case .unregister(let departure, _) = step {
                try change { $0.note(error, of: departure, at: now()) }
            }
            return
        }
        logSuccess(of: step)
        report.noteSuccess(of: step)
        switch step {
        case .unregister(let departure, _): try change { $0.confirm(departure, among: turn.serverIDs) }
        case .register(let chat, _, let fingerprint):
            let registration = AcceptedRegistration(fingerprint: fingerprint, time: now())
            try change { $0.note(registration, of: chat) }
        }
    }

    private func send(_ request: GatewayRequest) async throws(PushClientError) -> GatewayResponse {
        let response: GatewayResponse
        do {
            response = try await http.send(request)
        } catch {
            throw PushClientError(sending: error)
        }
        if let error = PushClientError(response, now: now()) { throw error }
        return response
    }

    private func report(on turn: Sync, stoppedBy error: PushClientError) -> TurnReport {
        TurnReport(stoppedBy: error, due: due(in: turn))
    }

    /// Returns the chats whose registration is due. If the list cannot be read, these are all known chats of the
    /// server.
    private func due(in turn: Sync) -> Set<Chat> {
        do throws(PushClientError) {
            let plan = try plan(for: turn)
            // Without an address at the relay, nothing can be compared with what the gateway has.
            guard plan.recipient == nil, token != nil else { return try plan.dueChats(in: loaded()) }
        } catch {}
        let kept = (try? loaded().subscriptions) ?? []
        return Set(kept.map(\.chat).filter(turn.concerns)).union([turn.opening?.chat].compactMap(\.self))
    }

    func plan(for turn: Sync) throws(PushClientError) -> SyncPlan {
        SyncPlan(
            turn: turn,
            calls: GatewayCalls(
                account: turn.account, installationID: try installationID(), build: build, liveActivity: liveActivity),
            policy: policy, recipient: recipient(of: turn.account.gateway), now: now())
    }
}

/// Log entries for steps.
extension PushSubscriptions {
    func logSuccess(of step: SyncPlan.Step) {
        switch step {
        case .register: logger.log(.info, "registered a chat", step.facts)
        case .unregister: logger.log(.info, "unregistered", step.facts)
        }
    }

    func log(_ error: PushClientError, of step: SyncPlan.Step) {
        let facts = step.facts.merging(["error": error.description]) { $1 }
        switch step {
        case .register: logger.log(.warning, "failed to register a chat", facts)
        case .unregister: logger.log(.warning, "failed to unregister", facts)
        }
    }
}

extension SyncPlan.Step {
    /// The server's id and the beginning of the chat's agent key. The folder is private and not logged.
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
