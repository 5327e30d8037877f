internal import DocumentStore
internal import HTTPTypes
internal import Messaging

/// What hooks report.
extension Sessions {
    @Sendable func takeEvent(_ request: FunctionRequest) async throws -> FunctionResponse {
        try await take(try HookReport(try await object(of: request)))
        return .done
    }

    @Sendable func takeHook(_ request: FunctionRequest) async throws -> FunctionResponse {
        let event = try await object(of: request)
        try await take(try HookReport(request.headerFields, event: event, at: now()))
        return .done
    }

    /// How often an event is tried: one of those that are written at the same moment gets through each time.
    static let mostTries = 100

    /// Again, when another event of the session came between reading and writing.
    private func take(_ report: HookReport) async throws {
        for _ in 0..<Self.mostTries {
            do {
                return try await record(report)
            } catch let error as StoreError where error.code == .failedPrecondition || error.code == .alreadyExists {
                try Task.checkCancellation()
            }
        }
        throw SessionsError.unavailable
    }

    /// Everything an event changes is one commit, and so is what is to be sent: it is on the disk when this returns, or
    /// nothing of it is.
    private func record(_ report: HookReport) async throws {
        let path = try SessionsDocuments.session(report.event.sessionID)
        let device = try SessionsDocuments.device(report.device.id)
        let (known, phones) = try await read([path, device], for: report.event)
        // Not before the read, which may have waited: what it finds may have been written meanwhile.
        let time = now()
        var session = CodingSession(known[0])
        session.take(report, at: time)
        let notice = session.notice(of: report.event, at: time, coolDown: configuration.coolDown)
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
            notification.message, of: "sessions", for: configuration.notificationRetention, to: phones,
            alongside: writes + [notification.write()])
    }

    /// The documents, and the phones when they may have to be told, in one read.
    private func read(
        _ paths: [DocumentPath], for event: HookEvent
    ) async throws(StoreError) -> (documents: [Document?], phones: [Device]) {
        guard SessionNotice(event) != nil else { return (try await store.documents(at: paths), []) }
        let found = try await store.documents(at: paths, matching: .collection(phones.collection))
        return (found.named, phones.devices(of: found.matching))
    }

    /// By transforms, as every event of every session counts here at once.
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
    /// The event as it is kept.
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
    /// What is not said stays as it was.
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
