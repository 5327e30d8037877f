internal import DocumentStore
internal import JSON

/// The lists of devices and events, and the versions by which the app sees that they have changed.
extension Sessions {
    private static let devicesPage = 200
    private static let eventsPage = 100

    /// Answers with two numbers, of which one is higher than before when there is something new.
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

    /// Lists the machines that report, the last seen first.
    @Sendable func listDevices(_ request: FunctionRequest) async throws -> FunctionResponse {
        let devices = try await store.documents(
            matching: .collection(try SessionsDocuments.devices())
                .lastFirst(SessionsDocuments.DeviceField.lastSeenAt)
                .limited(to: try request.limit(Self.devicesPage)))
        var elements: [JSONValue] = []
        for device in devices { elements.append(device.json(activeSessions: try await activeSessions(of: device))) }
        return .list("devices", elements)
    }

    private func activeSessions(of device: Document) async throws(StoreError) -> Int {
        guard let id = device[SessionsDocuments.DeviceField.id]?.string else { return 0 }
        return try await store.count(try SessionList.sessions(of: id).having(CodingSession.Status.open))
    }

    /// Lists the events of a session, the newest first: none of one that is unknown.
    @Sendable func listEvents(_ request: FunctionRequest) async throws -> FunctionResponse {
        let query = Query.collection(try SessionsDocuments.events(of: request.parameters["id"] ?? ""))
            .ordered(by: .documentName, .descending).limited(to: try request.limit(Self.eventsPage))
        return .list("events", try await store.documents(matching: query).map(\.eventJSON))
    }
}

extension Query {
    /// This query in the order of a timestamp, the latest first. The filter lets an index serve it.
    func lastFirst(_ field: String) -> Query {
        let field = FieldPath(field)
        return self.where(field, .greaterThan, .timestamp(.distantPast)).ordered(by: field, .descending)
    }
}

extension FunctionResponse {
    static func list(_ name: String, _ elements: [JSONValue]) -> FunctionResponse {
        FunctionResponse(body: .object([name: .array(elements)]))
    }
}

extension Document {
    /// A field as the app reads it; `null` if it is missing.
    func json(_ name: String) -> JSONValue {
        switch self[name] {
        case .string(let text)?: .string(text)
        case .timestamp(let time)?: .string(time.description)
        case .boolean(let value)?: .bool(value)
        default: .null
        }
    }

    /// The time of the first event. The document is made some milliseconds after that has come.
    func firstSeen(_ lastSeen: String) -> JSONValue {
        .string(min(createTime, self[lastSeen]?.timestamp ?? createTime).description)
    }

    /// The number of the event whose commit made the document: microseconds since 1970. Every event is a commit of its
    /// own, and commits' times grow.
    var eventNumber: JSONValue { .integer(createTime.microseconds) }

    /// The app needs a name and a platform: a device that has not told them has its id, and `unknown`.
    fileprivate func json(activeSessions: Int) -> JSONValue {
        typealias Field = SessionsDocuments.DeviceField
        return [
            "device_id": json(Field.id), "device_name": .string((self[Field.name] ?? self[Field.id])?.string ?? ""),
            "platform": .string(self[Field.platform]?.string ?? "unknown"),
            "first_seen": firstSeen(Field.lastSeenAt), "last_seen": json(Field.lastSeenAt),
            "active_sessions": .integer(Int64(activeSessions)),
        ]
    }

    fileprivate var eventJSON: JSONValue {
        typealias Field = SessionsDocuments.EventField
        return [
            "id": eventNumber, "session_id": json(Field.sessionID), "device_id": json(Field.deviceID),
            "hook_event_name": json(Field.name), "cwd": json(Field.cwd), "prompt": json(Field.prompt),
            "notification_type": json(Field.notificationType), "tool_name": json(Field.toolName),
            "message": json(Field.message), "timestamp": json(Field.timestamp),
            "received_at": json(Field.receivedAt),
        ]
    }
}
