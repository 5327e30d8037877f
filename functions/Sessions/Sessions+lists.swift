import DocumentStore
import JSON
import Messaging
import Texts

/// The lists of devices and events, and the versions that show the app whether they have changed.
extension Sessions {
    private static let devicesPage = 200
    private static let eventsPage = 100

    /// Responds with two version numbers, one of which has increased if there is something new.
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

    /// Lists the reporting machines, the last seen first.
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

    /// Lists the events of a session, newest first. An unknown session has none.
    @Sendable func listEvents(_ request: FunctionRequest) async throws -> FunctionResponse {
        let query = Query.collection(try SessionsDocuments.events(of: request.parameters["id"] ?? ""))
            .ordered(by: .documentName, .descending).limited(to: try request.limit(Self.eventsPage))
        return .list("events", try await store.documents(matching: query).map(\.eventJSON))
    }
}

extension Query {
    /// Returns this query ordered by a timestamp, latest first. The filter allows the use of an index.
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
    /// Returns a field as the app reads it; `null` if it is missing.
    func json(_ name: String) -> JSONValue {
        switch self[name] {
        case .string(let text)?: .string(text)
        case .timestamp(let time)?: .string(time.description)
        case .boolean(let value)?: .bool(value)
        default: .null
        }
    }

    /// Returns the time of the first event. The document is created some milliseconds after the event arrived.
    func firstSeen(_ lastSeen: String) -> JSONValue {
        .string(min(createTime, self[lastSeen]?.timestamp ?? createTime).description)
    }

    /// The number of the event that created the document: microseconds since 1970. Each event is a commit of its own,
    /// and commit times increase.
    var eventNumber: JSONValue { .integer(createTime.microseconds) }

    /// Returns the device as the app reads it. The app needs a name and a platform; they default to the id and
    /// `unknown`.
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

/// The parameters of list endpoints.
extension FunctionRequest {
    /// An offset larger than any list, and small enough to avoid overflow.
    private static let largestOffset = 1_000_000_000

    /// Returns the maximum number of elements in the response, capped at the bound.
    func limit(_ standard: Int, atMost bound: Int = 200) throws(SessionsError) -> Int {
        guard let limit = try wholeNumber("limit", from: 1, otherwise: bound) else { return standard }
        return min(limit, bound)
    }

    /// Returns the number of elements to skip.
    func offset() throws(SessionsError) -> Int {
        min(try wholeNumber("offset", from: 0, otherwise: Self.largestOffset) ?? 0, Self.largestOffset)
    }

    /// Returns `true` if the parameter is `true` or `1`.
    func flag(_ name: String) throws(SessionsError) -> Bool {
        switch query[name]?.lowercased() {
        case nil, "", "false", "0": false
        case "true", "1": true
        default: throw .badRequest("\(name) must be true or false")
        }
    }

    /// - Parameter large: The value for a number with more digits than an `Int` can hold.
    private func wholeNumber(
        _ name: String, from smallest: Int, otherwise large: Int
    ) throws(SessionsError) -> Int? {
        guard let text = query[name], !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy(\.isASCIIDigit),
            case let number = Int(text) ?? large, number >= smallest
        else { throw .badRequest("\(name) must be a whole number, \(smallest) or more") }
        return number
    }
}
