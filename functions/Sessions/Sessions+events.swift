import DocumentStore
import HTTPTypes
import Messaging

/// The state of a session.
///
/// `codingSessions/{…}`: `sessionId`, `deviceId`, `title`?, `cwd`?, `status`, `lastSeenAt`, `notifiedAt`? (the time
/// of the last notification by type, only for types with a cool-down), `showsCard`? (`true` while phones show a card)
struct CodingSession: Sendable {
    enum Field {
        static let id = "sessionId"
        static let deviceID = "deviceId"
        static let title = "title"
        static let cwd = "cwd"
        static let status = "status"
        static let lastSeenAt = "lastSeenAt"
        static let notifiedAt = "notifiedAt"
        static let showsCard = "showsCard"
    }

    /// The maximum length of a title made from a prompt, in UTF-8 bytes.
    private static let titleLength = 200

    private(set) var fields: Fields

    init(_ document: Document?) { fields = document?.fields ?? [:] }

    var title: String? { fields[Field.title]?.string }

    /// `true` while phones show a card of the session.
    var showsCard: Bool {
        get { fields[Field.showsCard]?.boolean ?? false }
        set { fields[Field.showsCard] = newValue ? .boolean(true) : nil }
    }

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

    // MARK: Cool-down

    /// Returns the event's notice, unless the session has sent one of the same type within the cool-down. Records the
    /// time of the notice.
    mutating func notice(of event: HookEvent, at time: Timestamp, coolDown: Duration) -> SessionNotice? {
        guard let notice = SessionNotice(event) else { return nil }
        if notice.kind.isUrgent { return notice }
        var times = fields[Field.notifiedAt]?.map ?? [:]
        // A time far in the future comes from a clock that was later set back.
        if let last = times[notice.kind.rawValue]?.timestamp, max(time - last, last - time) < coolDown { return nil }
        times[notice.kind.rawValue] = .timestamp(time)
        fields[Field.notifiedAt] = .map(times)
        return notice
    }

    /// The activity of a session.
    enum Status: String, Sendable, CaseIterable {
        case active, idle, ended
        case waitingForInput = "waiting_for_input"
        case waitingForPermission = "waiting_for_permission"

        /// The statuses of sessions that have not ended.
        static let open = allCases.filter { $0 != .ended }.map(\.rawValue)

        /// Returns `nil` if the event does not change the status.
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

/// The events that hooks report.
extension Sessions {
    @Sendable func takeEvent(_ request: FunctionRequest) async throws -> FunctionResponse {
        try await take(try HookReport(try await request.jsonObject(limit: Self.maximumBodyBytes)))
        return .done
    }

    @Sendable func takeHook(_ request: FunctionRequest) async throws -> FunctionResponse {
        let event = try await request.jsonObject(limit: Self.maximumBodyBytes)
        try await take(try HookReport(request.headerFields, event: event, at: now()))
        return .done
    }

    /// The maximum number of attempts for an event. Of concurrent events, one succeeds in each round.
    static let mostTries = 100

    /// Records an event. Repeats this if another event of the session was committed between reading and writing.
    private func take(_ report: HookReport) async throws {
        for _ in 0..<Self.mostTries {
            do throws(StoreError) {
                return try await record(report)
            } catch {
                guard error.code == .failedPrecondition || error.code == .alreadyExists else { throw error }
            }
            try Task.checkCancellation()
        }
        throw SessionsError.unavailable
    }

    /// Commits all changes of an event and its notification together. They are all on disk when this returns, or none
    /// of them.
    private func record(_ report: HookReport) async throws(StoreError) {
        let path = try SessionsDocuments.session(report.event.sessionID)
        let device = try SessionsDocuments.device(report.device.id)
        let (known, phones) = try await read([path, device], for: report.event)
        // Read the clock after the documents, because they may have been written during the read.
        let time = now()
        var session = CodingSession(known[0])
        session.take(report, at: time)
        let notice = session.notice(of: report.event, at: time, coolDown: settings.coolDown)
        try await show(report, &session)
        let event = try SessionsDocuments.event(of: path, at: time)
        let writes: [Write] = [
            .set(path, session.fields, precondition: known[0].map { .updateTime($0.updateTime) } ?? .exists(false)),
            .merge(device, report.device.fields(at: time)), .create(event, report.fields(at: time)),
            try versions(growingBy: notice == nil ? 0 : 1),
        ]
        guard let notice else {
            _ = try await store.commit(writes)
            return
        }
        let notification = SessionNotification(
            notice, of: report, title: session.title,
            deviceName: known[1]?[SessionsDocuments.DeviceField.name]?.string)
        try await outbox.send(
            notification.message, of: Sessions.source, for: settings.notificationRetention, to: phones,
            alongside: writes + [notification.write()])
    }

    /// Reads the documents and, if the event has a notice, the phones, in one read.
    private func read(
        _ paths: [DocumentPath], for event: HookEvent
    ) async throws(StoreError) -> (documents: [Document?], phones: [Device]) {
        guard SessionNotice(event) != nil else { return (try await store.documents(at: paths), []) }
        let found = try await store.documents(at: paths, matching: .collection(phones.collection))
        return (found.named, phones.devices(of: found.matching))
    }

    /// Uses transforms, because all sessions' events change this document concurrently.
    private func versions(growingBy notifications: Int64) throws(StoreError) -> Write {
        .merge(
            try SessionsDocuments.versions(), [:],
            transforms: [
                FieldTransform(SessionsDocuments.VersionField.dataPath, .increment(.integer(1))),
                FieldTransform(
                    SessionsDocuments.VersionField.notificationsPath, .increment(.integer(notifications))),
            ])
    }
}

extension HookReport {
    /// The fields of the stored event.
    fileprivate func fields(at time: Timestamp) -> Fields {
        typealias Field = SessionsDocuments.EventField
        var fields = Fields(minimumCapacity: 10)
        fields[Field.sessionID] = .string(event.sessionID)
        fields[Field.deviceID] = .string(device.id)
        fields[Field.name] = .string(event.name)
        fields[Field.timestamp] = .timestamp(timestamp)
        fields[Field.receivedAt] = .timestamp(time)
        fields[Field.cwd] = event.cwd.map(Value.string)
        fields[Field.prompt] = event.prompt.map(Value.string)
        fields[Field.notificationType] = event.notificationType.map(Value.string)
        fields[Field.toolName] = event.toolName.map(Value.string)
        fields[Field.message] = event.message.map(Value.string)
        return fields
    }
}

extension ReportingDevice {
    /// The fields of the machine. Fields missing in the report stay unchanged.
    fileprivate func fields(at time: Timestamp) -> Fields {
        typealias Field = SessionsDocuments.DeviceField
        var fields = Fields(minimumCapacity: 4)
        fields[Field.id] = .string(id)
        fields[Field.lastSeenAt] = .timestamp(time)
        fields[Field.name] = name.map(Value.string)
        fields[Field.platform] = platform.map(Value.string)
        return fields
    }
}
