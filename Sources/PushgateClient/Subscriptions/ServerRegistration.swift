/// The state of a server's notifications on this device, for the app to show.
public enum ServerRegistration: String, Hashable, Sendable {
    /// The gateway has accepted the registrations of all subscribed chats, with this device's present token or address;
    /// with a relay, the relay has confirmed the address too.
    case registered
    /// Notifications do not arrive: no chat is subscribed, the relay has no address for this device, or the gateway has
    /// refused a registration.
    case notRegistered
    /// The gateway or the relay has not answered the last request, or the system has not provided a token yet.
    case unknown
}

extension PushSubscriptions {
    /// Returns the state of each listed server, by the app's id of it.
    ///
    /// - Throws: ``PushClientError`` if the servers or the list cannot be read.
    public func registrations() async throws(PushClientError) -> [String: ServerRegistration] {
        let servers = try await listedServers()
        let standing = await relay?.standing
        var states: [String: ServerRegistration] = [:]
        for server in servers {
            guard let turn = Sync(of: server.id, in: servers, opening: nil) else { continue }
            states[server.id] = try registration(for: turn, standing)
        }
        return states
    }

    /// - Parameter standing: The relay's last answer; `nil` without a relay.
    private func registration(
        for turn: Sync, _ standing: RelayClient.Standing?
    ) throws(PushClientError) -> ServerRegistration {
        let chats = try loaded().subscriptions.filter { turn.concerns($0.chat) }
        guard !chats.isEmpty, standing != .notRegistered else { return .notRegistered }
        let plan = try plan(for: turn)
        guard plan.recipient != nil, standing != .unknown else { return .unknown }
        if chats.allSatisfy(plan.isRegistered) { return .registered }
        return failures.lastError(of: turn.account)?.mayHelpToRetry == true ? .unknown : .notRegistered
    }
}
