/// A router from a notification to a chat: it finds the server by hashing the device's secrets, and the project by its
/// folder.
///
/// It is a value: create one from the current servers when a notification arrives. ``PushSubscriptions`` does so
/// itself; a notification service extension creates its own.
public struct NotificationRouter: Sendable {
    /// The ids by server key. The app may list one server twice.
    private let serverIDs: [String: [String]]

    /// Hashes the secrets of the app's current servers.
    public init(servers: [PushServer]) {
        serverIDs = Dictionary(grouping: servers, by: \.serverKey).mapValues { $0.map(\.id) }
    }

    /// Returns the destination of a tap on the notification.
    ///
    /// - Parameters:
    ///   - reply: The content of the notification.
    ///   - projects: All projects of the app.
    public func destination(of reply: ReplyFinished, projects: some Collection<Chat>) -> Destination {
        let candidates = candidates(for: reply)
        guard let first = candidates.first else { return .unknownServer }
        return candidates.first(where: projects.contains).map(Destination.chat)
            ?? .unknownProject(serverID: first.serverID, cwd: first.cwd)
    }

    /// Returns the way to treat a notification that arrives now. Only notifications of visible chats are suppressed.
    ///
    /// - Parameters:
    ///   - payload: The content of the notification; `nil` if another sender's.
    ///   - isInForeground: `true` if the app is active.
    ///   - openChats: The chats on the screen, one for each window.
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
    /// The destination of a tap on a notification.
    public enum Destination: Hashable, Sendable {
        /// The chat of a project.
        case chat(Chat)
        /// No secret on this device has the notification's hash: the server was removed, or has a new secret.
        case unknownServer
        /// The server is known, but the app has no project for the folder.
        case unknownProject(serverID: String, cwd: String)
    }

    /// The treatment of a notification that arrives while the app runs.
    public enum Banner: Hashable, Sendable {
        /// The app shows the notification.
        case show
        /// The app does not show the notification, because its chat is visible.
        case suppress
    }
}

extension PushSubscriptions {
    /// Returns the way to treat a notification that arrives while the app runs. Only notifications of visible chats are
    /// suppressed, and none while the servers cannot be read.
    ///
    /// - Parameters:
    ///   - payload: The content of the notification; `nil` if another sender's.
    ///   - isInForeground: `true` if the app is active.
    ///   - openChats: The chats on the screen, one for each window.
    public func banner(
        for payload: PushPayload?, isInForeground: Bool, openChats: Set<Chat>
    ) async -> NotificationRouter.Banner {
        guard let servers = try? await listedServers() else { return .show }
        return NotificationRouter(servers: servers)
            .banner(for: payload, isInForeground: isInForeground, openChats: openChats)
    }

    /// Returns the destination of a tap on a notification.
    ///
    /// - Parameters:
    ///   - reply: The content of the notification.
    ///   - projects: All projects of the app.
    /// - Throws: ``PushClientError`` if the servers cannot be read, so that the notification's server is not known.
    public func destination(
        of reply: ReplyFinished, projects: [Chat]
    ) async throws(PushClientError) -> NotificationRouter.Destination {
        NotificationRouter(servers: try await listedServers()).destination(of: reply, projects: projects)
    }
}
