/// Finds the way from a notification to a chat: the server by hashing the secrets the phone has, the project by its folder.
///
/// A value: make one from the servers as they are when a notification comes. ``PushSubscriptions`` does so by itself; a
/// notification service extension makes its own.
public struct NotificationRouter: Sendable {
    /// By server key. The app may know one server twice.
    private let serverIDs: [String: [String]]

    public init(servers: [PushServer]) {
        serverIDs = Dictionary(grouping: servers, by: \.secret.serverKey).mapValues { $0.map(\.id) }
    }

    /// Where a tap on the notification leads.
    ///
    /// - Parameter projects: every project the app has.
    public func destination(of reply: ReplyFinished, projects: some Collection<Chat>) -> Destination {
        let candidates = candidates(for: reply)
        guard let first = candidates.first else { return .unknownServer }
        return candidates.first(where: projects.contains).map(Destination.chat)
            ?? .unknownProject(serverID: first.serverID, cwd: first.cwd)
    }

    /// Whether to show a notification that arrives now. Only what the user is looking at anyway is suppressed.
    ///
    /// - Parameter openChats: the chats on the screen, one a window.
    public func banner(for payload: PushPayload?, isInForeground: Bool, openChats: some Collection<Chat>) -> Banner {
        guard isInForeground, case .replyFinished(let reply)? = payload,
            candidates(for: reply).contains(where: openChats.contains)
        else { return .show }
        return .suppress
    }

    private func candidates(for reply: ReplyFinished) -> [Chat] {
        (serverIDs[reply.serverKey.lowercased()] ?? []).map { Chat(serverID: $0, cwd: reply.cwd) }
    }
}

extension NotificationRouter {
    /// Where a tap on a notification leads.
    public enum Destination: Hashable, Sendable {
        /// That project's chat.
        case chat(Chat)
        /// No secret on this phone has that hash: the server was removed, or has a new secret.
        case unknownServer
        /// The server is known, and has no project in that folder here.
        case unknownProject(serverID: String, cwd: String)
    }

    /// What to do with a notification that arrives while the app runs.
    public enum Banner: Hashable, Sendable {
        case show
        case suppress
    }
}
