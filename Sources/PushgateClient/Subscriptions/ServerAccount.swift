/// A server as its gateway knows it. The app may list one under two ids.
struct ServerAccount: Hashable, Sendable {
    let gateway: GatewayURL
    let secret: PushSecret
}

/// Whose turn it is, and what is the occasion.
struct Turn: Sendable {
    let account: ServerAccount
    /// Every id under which the app lists the server.
    let serverIDs: Set<String>
    /// The chat whose opening is the occasion.
    let opening: TurnPlan.Opening?

    /// - Returns: nil when the server is not among the listed.
    init?(of serverID: String, in servers: [PushServer], opening: TurnPlan.Opening?) {
        guard let account = servers.first(where: { $0.id == serverID })?.account else { return nil }
        self.account = account
        self.opening = opening
        serverIDs = Set(servers.filter { $0.account == account }.map(\.id))
    }
}

extension PushServer {
    var account: ServerAccount { ServerAccount(gateway: gateway, secret: secret) }
}
