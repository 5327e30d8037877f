public import Foundation

extension PushSubscriptions {
    /// Subscribes to a chat. Call it each time a chat is opened.
    ///
    /// The chat is added to the list at once and stays there even if the request fails. Other requests that are due
    /// for the chat's server follow.
    ///
    /// - Parameters:
    ///   - chat: The chat that was opened.
    ///   - displayName: The notification's title, `project@server`, cut to 120 UTF-16 units.
    /// - Throws: ``PushClientError`` if the chat was not registered; a later call tries again.
    @discardableResult
    public func subscribe(
        to chat: Chat, displayName: String? = nil
    ) async throws(PushClientError) -> SubscriptionOutcome {
        let opening = SyncPlan.Opening(chat: chat, time: now())
        try change { $0.subscribe(to: chat, displayName: displayName) }
        let servers = try await listedServers()
        guard servers.contains(where: { $0.id == chat.serverID && $0.permits(chat.cwd) }) else {
            return .pushNotEnabled
        }
        guard token != nil else { return .waitingForToken }
        await getFirstAddress()
        var report = await turn(of: chat.serverID, in: servers, opening: opening)
        if await confirmDoubtedAddress() {
            let earlier = report.registered
            report = await turn(of: chat.serverID, in: servers, opening: opening)
            report.registered.formUnion(earlier)
        }
        if let error = report.error(of: chat) { throw error }
        if report.registered.contains(chat) { return .registered }
        return report.isListed ? .unchanged : .pushNotEnabled
    }

    /// Sets the device's token and registers every chat on the list with it. Call it each time the system or FCM
    /// provides a token, which includes every launch. Chats that are already registered with this token are skipped.
    ///
    /// - Parameter token: The registration token of FCM, or the device token of APNs in hexadecimal. An empty one is
    ///   ignored.
    /// - Returns: The registrations that succeeded, and those that failed.
    /// - Throws: ``PushClientError`` as ``registerPending()`` does.
    @discardableResult
    public func tokenDidChange(to token: String) async throws(PushClientError) -> ReplayReport {
        guard !token.isEmpty else { return ReplayReport() }
        logger.log(.debug, self.token == token ? "received the same token again" : "received a new token")
        self.token = token
        addressConfirmedAt = nil
        return try await registerPending()
    }

    /// Sets the device token of APNs from the bytes that the system provides; see ``tokenDidChange(to:)-(String)``.
    ///
    /// - Returns: The registrations that succeeded, and those that failed.
    /// - Throws: ``PushClientError`` as ``registerPending()`` does.
    @discardableResult
    public func tokenDidChange(to deviceToken: Data) async throws(PushClientError) -> ReplayReport {
        try await tokenDidChange(to: HexadecimalText.lowercase(deviceToken))
    }

    /// Sets ActivityKit's tokens, by which this device shows cards on the lock screen, and registers every chat on the
    /// list with them. With a relay, the relay gets the token that starts cards.
    ///
    /// Call it each time the system provides a token, and at each launch before ``tokenDidChange(to:)-(String)``: a
    /// registration without it ends the cards of this device.
    ///
    /// - Parameter registration: The tokens; `nil` to show no cards any more.
    /// - Returns: The registrations that succeeded, and those that failed; an empty one before the first device token.
    /// - Throws: ``PushClientError`` as ``registerPending()`` does.
    @discardableResult
    public func liveActivityDidChange(
        to registration: LiveActivityRegistration?
    ) async throws(PushClientError) -> ReplayReport {
        guard registration != liveActivity else { return ReplayReport() }
        liveActivity = registration
        addressConfirmedAt = nil
        guard token != nil else { return ReplayReport() }
        return try await registerPending()
    }

    /// Sends all requests that are due, including those that failed before. Call it when the app enters the foreground.
    ///
    /// - Returns: The registrations that succeeded, and those that failed.
    /// - Throws: ``PushClientError`` if the servers or the list could not be read, or the list could not be saved.
    @discardableResult
    public func registerPending() async throws(PushClientError) -> ReplayReport {
        let servers = try await listedServers()
        try change { $0.departures.removeAll { $0.isExpired(at: now()) } }
        let relayError = await confirmOldAddress()
        await revokeSendSecretsOfLeft(servers)
        var report = await turnsOfAll(servers, concerned: try loaded().serverIDs)
        if await confirmDoubtedAddress() {
            let earlier = report.registered
            report = await turnsOfAll(servers, concerned: try loaded().serverIDs)
            report.registered.formUnion(earlier)
        }
        report.note(relayError)
        return report
    }

    private func turnsOfAll(_ servers: [PushServer], concerned: Set<String>) async -> ReplayReport {
        await withTaskGroup(of: TurnReport.self) { turns in
            for server in servers where concerned.contains(server.id) {
                turns.addTask { await self.turn(of: server.id, in: servers) }
            }
            var report = ReplayReport()
            for await turn in turns { report.add(turn) }
            return report
        }
    }

    /// Unsubscribes from a chat. It is removed from the list at once. A failed request is repeated on later calls,
    /// for 90 days.
    ///
    /// - Throws: ``PushClientError`` if the request failed, or the servers or the list could not be read or saved.
    public func unsubscribe(from chat: Chat) async throws(PushClientError) { try await depart(Unsubscription(chat)) }

    /// Unsubscribes from every chat of a server, including those that are not on the list. Keep the server and its
    /// secret in the directory until ``pendingUnsubscriptions()`` no longer contains it; the request needs the
    /// secret.
    ///
    /// - Throws: ``PushClientError`` if the request failed, or the servers or the list could not be read or saved.
    public func unsubscribe(fromServer serverID: String) async throws(PushClientError) {
        try await depart(Unsubscription(serverID: serverID))
    }

    /// Returns the ids of the servers with unsubscriptions that their gateways have not confirmed.
    ///
    /// - Throws: ``PushClientError/storageFailed(reason:)`` if the list cannot be read.
    public func pendingUnsubscriptions() throws(PushClientError) -> Set<String> {
        Set(try loaded().departures.map(\.departure.serverID))
    }

    private func depart(_ departure: Unsubscription) async throws(PushClientError) {
        let time = now()
        try change { $0.depart(departure, at: time) }
        let servers = try await listedServers()
        let report = await turn(of: departure.serverID, in: servers)
        if departure.chat == nil { await revokeSendSecret(of: departure.serverID, in: servers) }
        let isStillDue = try loaded().departures.contains { $0.departure == departure }
        if let error = report.error(of: departure, isDue: isStillDue) { throw error }
    }
}

extension ReplayReport {
    fileprivate mutating func add(_ report: TurnReport) {
        registered.formUnion(report.registered)
        for chat in report.due { failed[chat] = report.error(of: chat) }
        failed.merge(report.refused) { $1 }
        note(pause: report.stoppedBy?.retryAfter)
    }

    fileprivate mutating func note(_ error: RelayError?) {
        relayError = error
        note(pause: error?.retryAfter)
    }

    private mutating func note(pause: Duration?) {
        guard let pause else { return }
        retryAfter = max(.seconds(1), min(pause, retryAfter ?? pause))
    }
}
