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
    private let event: HookEvent

    init?(_ event: HookEvent) {
        switch (event.name, event.notificationType) {
        case ("Stop", _): kind = .stop
        case ("PermissionRequest", _), ("Notification", Kind.permissionPrompt.rawValue): kind = .permissionPrompt
        case ("Notification", Kind.idlePrompt.rawValue): kind = .idlePrompt
        default: return nil
        }
        self.event = event
    }

    var body: String {
        switch kind {
        case .stop: "Session stopped: \(event.message ?? "No reason given")"
        case .permissionPrompt: permission
        case .idlePrompt: "Session idle: \(event.message ?? "Waiting for input")"
        }
    }

    private var permission: String {
        switch (event.toolName, event.message) {
        case (let tool?, let message?): "Permission required: \(tool) — \(message)"
        case (let part?, nil), (nil, let part?): "Permission required: \(part)"
        case (nil, nil): "A session needs permission to continue"
        }
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
