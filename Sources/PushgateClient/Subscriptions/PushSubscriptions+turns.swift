extension PushSubscriptions {
    /// Tells a server's gateway what it does not know yet, alone among all callers.
    func turn(of server: PushServer, opening: TurnPlan.Opening?) async -> TurnReport {
        let mark = failures.mark
        await turns.take(server.id)
        var report = TurnReport()
        if let error = failures.error(of: server, since: mark, now: now()) {
            report.stoppedBy = error
        } else {
            await sendSteps(to: server, opening, &report)
            if let error = report.stoppedBy { failures.note(error, of: server, now: now()) }
        }
        report.due = (try? plan(for: server, opening).dueChats(in: loaded())) ?? []
        await turns.giveBack(server.id)
        return report
    }

    private func sendSteps(
        to server: PushServer, _ opening: TurnPlan.Opening?, _ report: inout TurnReport
    ) async {
        var tried: Set<TurnPlan.Step> = []
        do throws(PushClientError) {
            while report.stoppedBy == nil,
                let step = try plan(for: server, opening).nextStep(in: loaded(), except: tried)
            {
                tried.insert(step)
                try await take(step, &report)
            }
        } catch {
            report.stoppedBy = error
        }
    }

    /// - Throws: when the list cannot be kept.
    private func take(_ step: TurnPlan.Step, _ report: inout TurnReport) async throws(PushClientError) {
        do throws(PushClientError) {
            try await send(step.request)
        } catch {
            report.note(error, of: step)
            if case .unregister(let departure, _) = step, !error.mayHelpToRetry {
                try change { $0.forget(departure) }
            }
            return
        }
        report.noteSuccess(of: step)
        switch step {
        case .unregister(let departure, _): try change { $0.forget(departure) }
        case .register(let chat, _, let fingerprint):
            let registration = Registration(fingerprint: fingerprint, time: now())
            try change { $0.note(registration, of: chat) }
        }
    }

    private func send(_ request: GatewayRequest) async throws(PushClientError) {
        let response: GatewayResponse
        do {
            response = try await http.send(request)
        } catch {
            throw PushClientError(sending: error)
        }
        if let error = PushClientError(response, now: now()) { throw error }
    }

    private func plan(for server: PushServer, _ opening: TurnPlan.Opening?) throws(PushClientError) -> TurnPlan {
        TurnPlan(
            calls: GatewayCalls(server: server, installationID: try installationID(), build: build), policy: policy,
            token: token, opening: opening, now: now())
    }
}
