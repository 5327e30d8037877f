internal import DocumentStore
internal import JSON

/// What there is, for the app to show; the newest first.
extension Sessions {
    private static let page = 200

    /// Two numbers by which the app sees that there is something new.
    @Sendable func ping(_ request: FunctionRequest) async throws -> FunctionResponse {
        typealias Field = SessionsDocuments.VersionField
        let versions = try await store.document(at: try SessionsDocuments.versions())
        return FunctionResponse(
            body: [
                "status": "ok", "server_version": .string(version),
                "data_version": .integer(versions?[Field.data]?.integer ?? 0),
                "notification_version": .integer(versions?[Field.notifications]?.integer ?? 0),
            ])
    }

    @Sendable func listDevices(_ request: FunctionRequest) async throws -> FunctionResponse {
        let query = Query.collection(try SessionsDocuments.devices())
        let devices = try await lastSeen(query, SessionsDocuments.DeviceField.lastSeenAt, request)
        return .list("devices", devices.map(\.deviceJSON))
    }

    @Sendable func listSessions(_ request: FunctionRequest) async throws -> FunctionResponse {
        try await sessions(in: .collection(try SessionsDocuments.sessions()), request)
    }

    @Sendable func listSessionsOfDevice(_ request: FunctionRequest) async throws -> FunctionResponse {
        let id = request.parameters["id"] ?? ""
        guard try await store.document(at: try SessionsDocuments.device(id)) != nil else {
            throw SessionsError.noSuchDevice
        }
        let query = Query.collection(try SessionsDocuments.sessions())
            .where(FieldPath(CodingSession.Field.deviceID), .equal, .string(id))
        return try await sessions(in: query, request)
    }

    @Sendable func listEvents(_ request: FunctionRequest) async throws -> FunctionResponse {
        let id = request.parameters["id"] ?? ""
        guard try await store.document(at: try SessionsDocuments.session(id)) != nil else {
            throw SessionsError.noSuchSession
        }
        let query = Query.collection(try SessionsDocuments.events(of: id))
            .ordered(by: .documentName, .descending).limited(to: try request.limit(Self.page))
        return .list("events", try await store.documents(matching: query).map(\.eventJSON))
    }

    private func sessions(in query: Query, _ request: FunctionRequest) async throws -> FunctionResponse {
        let sessions = try await lastSeen(query, CodingSession.Field.lastSeenAt, request)
        return .list("sessions", sessions.map(\.sessionJSON))
    }

    /// The filter is there for the index.
    private func lastSeen(_ query: Query, _ field: String, _ request: FunctionRequest) async throws -> [Document] {
        let field = FieldPath(field)
        return try await store.documents(
            matching: query.where(field, .greaterThan, .timestamp(.distantPast)).ordered(by: field, .descending)
                .limited(to: try request.limit(Self.page)))
    }
}

extension FunctionResponse {
    static func list(_ name: String, _ elements: [JSONValue]) -> FunctionResponse {
        FunctionResponse(body: .object([name: .array(elements)]))
    }
}

extension Document {
    /// A field as the app reads it; null when it is not there.
    func json(_ name: String) -> JSONValue {
        switch self[name] {
        case .string(let text)?: .string(text)
        case .timestamp(let time)?: .string(time.description)
        case .boolean(let value)?: .bool(value)
        default: .null
        }
    }

    /// The document is made some milliseconds after the first event has come.
    private func firstSeen(_ lastSeen: String) -> JSONValue {
        .string(min(createTime, self[lastSeen]?.timestamp ?? createTime).description)
    }

    fileprivate var deviceJSON: JSONValue {
        typealias Field = SessionsDocuments.DeviceField
        return [
            "device_id": json(Field.id), "device_name": json(Field.name), "platform": json(Field.platform),
            "first_seen": firstSeen(Field.lastSeenAt), "last_seen": json(Field.lastSeenAt),
        ]
    }

    fileprivate var sessionJSON: JSONValue {
        typealias Field = CodingSession.Field
        return [
            "session_id": json(Field.id), "device_id": json(Field.deviceID), "title": json(Field.title),
            "cwd": json(Field.cwd), "status": json(Field.status), "last_event": json(Field.lastEvent),
            "first_seen": firstSeen(Field.lastSeenAt), "last_seen": json(Field.lastSeenAt),
        ]
    }

    fileprivate var eventJSON: JSONValue {
        typealias Field = SessionsDocuments.EventField
        return [
            "id": .string(path.id), "session_id": json(Field.sessionID), "device_id": json(Field.deviceID),
            "hook_event_name": json(Field.name), "cwd": json(Field.cwd), "prompt": json(Field.prompt),
            "notification_type": json(Field.notificationType), "tool_name": json(Field.toolName),
            "message": json(Field.message), "timestamp": json(Field.timestamp),
            "received_at": json(Field.receivedAt),
        ]
    }
}
