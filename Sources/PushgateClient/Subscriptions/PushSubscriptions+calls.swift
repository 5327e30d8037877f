public import Foundation

extension PushSubscriptions {
    /// Subscribes to a chat; call it whenever one is opened.
    ///
    /// The chat is on the list at once, and stays there whatever becomes of the request. What else the chat's server lacks
    /// is sent after it.
    ///
    /// - Parameter displayName: the notification's title, `project@server`; cut to 120 UTF-16 units.
    @discardableResult
    public func subscribe(
        to chat: Chat, displayName: String? = nil
    ) async throws(PushClientError) -> SubscriptionOutcome {
        let opening = TurnPlan.Opening(chat: chat, time: now())
        try change { $0.subscribe(to: chat, displayName: displayName) }
        let servers = try await listedServers()
        guard servers.contains(where: { $0.id == chat.serverID }) else { return .pushNotEnabled }
        guard token != nil else { return .waitingForToken }
        let report = await turn(of: chat.serverID, in: servers, opening: opening)
        if report.registered.contains(chat) { return .registered }
        if let error = report.error(of: chat) { throw error }
        return report.isListed ? .unchanged : .pushNotEnabled
    }

    /// Takes the phone's token and registers every chat on the list with it; call it whenever the system or FCM hands one
    /// over, so at every launch. Chats that the gateway has with this token are left out.
    @discardableResult
    public func tokenDidChange(to token: String) async throws(PushClientError) -> ReplayReport {
        guard !token.isEmpty else { return ReplayReport() }
        logger.log(.debug, self.token == token ? "took the same token again" : "took a new token")
        self.token = token
        return try await registerPending()
    }

    /// Takes the device token of APNs, as the system hands it over.
    @discardableResult
    public func tokenDidChange(to deviceToken: Data) async throws(PushClientError) -> ReplayReport {
        try await tokenDidChange(to: Hexadecimal.lowercase(deviceToken))
    }

    /// Sends what could not be sent before; call it when the app comes to the foreground.
    @discardableResult
    public func registerPending() async throws(PushClientError) -> ReplayReport {
        let servers = try await listedServers()
        try change { $0.departures.removeAll { $0.isExpired(at: now()) } }
        let concerned = try loaded().serverIDs
        return await withTaskGroup(of: TurnReport.self) { turns in
            for server in servers where concerned.contains(server.id) {
                turns.addTask { await self.turn(of: server.id, in: servers) }
            }
            var report = ReplayReport()
            for await turn in turns { report.add(turn) }
            return report
        }
    }

    /// Unsubscribes from a chat. It is off the list at once; a gateway that cannot be told now is told at a later occasion, for
    /// 90 days.
    public func unsubscribe(from chat: Chat) async throws(PushClientError) { try await depart(Departure(chat)) }

    /// Unsubscribes from every chat of a server, also from those the list does not have. Keep the server's secret, and the
    /// server in the directory, until ``pendingUnsubscriptions()`` does not name it: without it nobody can be told.
    public func unsubscribe(fromServer serverID: String) async throws(PushClientError) {
        try await depart(Departure(serverID: serverID))
    }

    /// The ids of the servers whose gateways are still to be told of an unsubscription.
    public func pendingUnsubscriptions() throws(PushClientError) -> Set<String> {
        Set(try loaded().departures.map(\.departure.serverID))
    }

    private func depart(_ departure: Departure) async throws(PushClientError) {
        let time = now()
        try change { $0.depart(departure, at: time) }
        let report = await turn(of: departure.serverID, in: try await listedServers())
        let isStillDue = try loaded().departures.contains { $0.departure == departure }
        if let error = report.error(of: departure, isDue: isStillDue) { throw error }
    }
}

extension ReplayReport {
    fileprivate mutating func add(_ report: TurnReport) {
        registered.formUnion(report.registered)
        for chat in report.due { failed[chat] = report.error(of: chat) }
        failed.merge(report.refused) { $1 }
        guard let pause = report.stoppedBy?.retryAfter else { return }
        retryAfter = max(.seconds(1), min(pause, retryAfter ?? pause))
    }
}
