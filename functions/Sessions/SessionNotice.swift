/// What an event has to say to people; most have nothing.
struct SessionNotice: Sendable {
    enum Kind: String, Sendable {
        case stop
        case permissionPrompt = "permission_prompt"
        case idlePrompt = "idle_prompt"

        /// Whether a session that has just said so may say so again.
        var isUrgent: Bool { self == .permissionPrompt }
    }

    let kind: Kind
    let body: String

    init?(_ event: HookEvent) {
        switch (event.name, event.notificationType) {
        case ("Stop", _):
            kind = .stop
            body = "Session stopped: \(event.message ?? "No reason given")"
        case ("PermissionRequest", _), ("Notification", Kind.permissionPrompt.rawValue):
            kind = .permissionPrompt
            body = Self.permission(event)
        case ("Notification", Kind.idlePrompt.rawValue):
            kind = .idlePrompt
            body = "Session idle: \(event.message ?? "Waiting for input")"
        default: return nil
        }
    }

    private static func permission(_ event: HookEvent) -> String {
        let parts = [event.toolName, event.message].compactMap(\.self)
        guard !parts.isEmpty else { return "A session needs permission to continue" }
        return "Permission required: \(parts.joined(separator: " — "))"
    }

    /// For a session without a title.
    var fallbackTitle: String {
        switch kind {
        case .stop: "Session Stopped"
        case .permissionPrompt: "Permission Required"
        case .idlePrompt: "Session Idle"
        }
    }
}
