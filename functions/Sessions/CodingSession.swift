internal import DocumentStore

/// What is known of a session.
///
/// `codingSessions/{…}`: `sessionId`, `deviceId`, `title`?, `cwd`?, `status`, `lastSeenAt`, `notifiedAt`? (when it last
/// notified, by type; only of types that have to keep quiet for a while after it)
struct CodingSession: Sendable {
    enum Field {
        static let id = "sessionId"
        static let deviceID = "deviceId"
        static let title = "title"
        static let cwd = "cwd"
        static let status = "status"
        static let lastSeenAt = "lastSeenAt"
        static let notifiedAt = "notifiedAt"
    }

    /// Bytes of UTF-8 of a prompt that make the title.
    private static let titleLength = 200

    private(set) var fields: Fields

    init(_ document: Document?) { fields = document?.fields ?? [:] }

    var title: String? { fields[Field.title]?.string }

    mutating func take(_ report: HookReport, at time: Timestamp) {
        let event = report.event
        fields[Field.id] = .string(event.sessionID)
        fields[Field.deviceID] = .string(report.device.id)
        fields[Field.title] = fields[Field.title] ?? event.prompt.map { .string(Self.title(of: $0)) }
        fields[Field.cwd] = event.cwd.map(Value.string) ?? fields[Field.cwd]
        fields[Field.status] =
            (Status(after: event)).map { .string($0.rawValue) } ?? fields[Field.status]
            ?? .string(Status.active.rawValue)
        fields[Field.lastSeenAt] = .timestamp(time)
    }

    private static func title(of prompt: String) -> String {
        prompt.utf8.count <= titleLength ? prompt : prompt.prefix(utf8Bytes: titleLength) + "…"
    }

    // MARK: Keeping quiet

    /// What the event has to say, unless the session has said the same less than the cool-down ago; that it says it now
    /// is noted.
    mutating func notice(of event: HookEvent, at time: Timestamp, coolDown: Duration) -> SessionNotice? {
        guard let notice = SessionNotice(event) else { return nil }
        if notice.kind.isUrgent { return notice }
        var times = fields[Field.notifiedAt]?.map ?? [:]
        // One that is far in the future is of a clock that was set back since.
        if let last = times[notice.kind.rawValue]?.timestamp, max(time - last, last - time) < coolDown { return nil }
        times[notice.kind.rawValue] = .timestamp(time)
        fields[Field.notifiedAt] = .map(times)
        return notice
    }

    /// What a session is doing.
    enum Status: String, Sendable, CaseIterable {
        case active, idle, ended
        case waitingForInput = "waiting_for_input"
        case waitingForPermission = "waiting_for_permission"

        /// Those of sessions that have not ended.
        static let open = allCases.filter { $0 != .ended }.map(\.rawValue)

        /// `nil` if the event says nothing about it.
        init?(after event: HookEvent) {
            switch (event.name, event.notificationType) {
            case ("SessionStart", _), ("UserPromptSubmit", _), ("SubagentStart", _), ("SubagentStop", _): self = .active
            case ("Stop", _): self = .waitingForInput
            case ("PermissionRequest", _), ("Notification", "permission_prompt"): self = .waitingForPermission
            case ("Notification", "idle_prompt"): self = .idle
            case ("SessionEnd", _): self = .ended
            default: return nil
            }
        }
    }
}
