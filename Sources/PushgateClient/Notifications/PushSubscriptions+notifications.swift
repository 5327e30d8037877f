extension PushSubscriptions {
    /// Whether to show a notification that arrives while the app runs. Only what the user is looking at anyway is suppressed,
    /// and nothing while the servers cannot be read.
    ///
    /// - Parameter openChats: the chats on the screen, one a window.
    public func banner(
        for payload: PushPayload?, isInForeground: Bool, openChats: Set<Chat>
    ) async -> NotificationRouter.Banner {
        guard let servers = try? await listedServers() else { return .show }
        return NotificationRouter(servers: servers)
            .banner(for: payload, isInForeground: isInForeground, openChats: openChats)
    }

    /// Where a tap on a notification leads.
    ///
    /// - Parameter projects: every project the app has.
    /// - Throws: when the servers cannot be read: that says nothing of whether the notification's is among them.
    public func destination(
        of reply: ReplyFinished, projects: [Chat]
    ) async throws(PushClientError) -> NotificationRouter.Destination {
        NotificationRouter(servers: try await listedServers()).destination(of: reply, projects: projects)
    }
}
