import DocumentStore
import JSON

/// A list of sessions for a request, as queries whose results are concatenated.
struct SessionList: Sendable {
    private(set) var queries: [Query]
    /// The number of sessions to skip.
    var offset = 0
    let limit: Int

    static let page = 50

    /// Selects sessions of all devices, first those that have not ended.
    ///
    /// - Parameters:
    ///   - status: The status of the sessions; `nil` for any.
    ///   - excludesEnded: `true` to leave out ended sessions, whatever the status.
    init(status: String?, excludesEnded: Bool, offset: Int, limit: Int) throws(StoreError) {
        let all = Query.collection(try SessionsDocuments.sessions())
        let ended = CodingSession.Status.ended.rawValue
        queries =
            if let status {
                excludesEnded && status == ended ? [] : [all.having([status])]
            } else {
                [all.having(CodingSession.Status.open)] + (excludesEnded ? [] : [all.having([ended])])
            }
        self.offset = offset
        self.limit = limit
    }

    /// Selects the sessions of one device.
    init(ofDevice id: String, status: String?, limit: Int) throws(StoreError) {
        let all = try Self.sessions(of: id)
        queries = [status.map { all.having([$0]) } ?? all]
        self.limit = limit
    }

    static func sessions(of device: String) throws(StoreError) -> Query {
        .collection(try SessionsDocuments.sessions())
            .where(FieldPath(CodingSession.Field.deviceID), .equal, .string(device))
    }
}

extension Query {
    /// Returns this query with a filter for these statuses.
    func having(_ statuses: [String]) -> Query {
        let field = FieldPath(CodingSession.Field.status)
        if statuses.count == 1, let status = statuses.first { return self.where(field, .equal, .string(status)) }
        return self.where(field, .in, .array(statuses.map(Value.string)))
    }
}

/// The lists of sessions.
extension Sessions {
    /// Lists a page of all sessions: first those that have not ended, then the others, each with the last seen first.
    @Sendable func listSessions(_ request: FunctionRequest) async throws -> FunctionResponse {
        let list = try SessionList(
            status: request.status, excludesEnded: try request.flag("exclude_ended"), offset: try request.offset(),
            limit: try request.limit(SessionList.page))
        // One extra session shows that there is a next page.
        let found = try await documents(of: list, atMost: list.limit + 1)
        let page = found.prefix(list.limit)
        return try await answer(
            page, hasMore: found.count > list.limit, nextOffset: list.offset + page.count)
    }

    /// Lists the last seen sessions of a device, on a single page. An unknown device has none.
    @Sendable func listSessionsOfDevice(_ request: FunctionRequest) async throws -> FunctionResponse {
        let list = try SessionList(
            ofDevice: request.parameters["id"] ?? "", status: request.status,
            limit: try request.limit(SessionList.page))
        let found = try await documents(of: list, atMost: list.limit)
        return try await answer(found[...], hasMore: false, nextOffset: 0)
    }

    private func documents(of list: SessionList, atMost limit: Int) async throws(StoreError) -> [Document] {
        var (found, offset) = ([Document](), list.offset)
        for (index, query) in list.queries.enumerated() where found.count < limit {
            var page = query.lastFirst(CodingSession.Field.lastSeenAt).limited(to: limit - found.count)
            page.offset = offset
            let documents = try await store.documents(matching: page)
            found += documents
            let isLast = index == list.queries.count - 1
            // The next query skips only the part of the offset that exceeds the results of this one.
            offset = documents.isEmpty && !isLast ? max(0, offset - (try await store.count(query))) : 0
        }
        return found
    }

    private func answer(
        _ sessions: ArraySlice<Document>, hasMore: Bool, nextOffset: Int
    ) async throws(StoreError) -> FunctionResponse {
        let devices = try await devices(of: sessions)
        var elements: [JSONValue] = []
        for session in sessions {
            elements.append(session.sessionJSON(of: try session.reporter.flatMap { devices[$0] }))
        }
        return FunctionResponse(
            body: [
                "sessions": .array(elements), "has_more": .bool(hasMore), "next_offset": .integer(Int64(nextOffset)),
            ])
    }

    /// Reads the sessions' devices by path, because different ids can look the same.
    private func devices(
        of sessions: ArraySlice<Document>
    ) async throws(StoreError) -> [DocumentPath: Document] {
        var paths: Set<DocumentPath> = []
        for session in sessions {
            if let path = try session.reporter { paths.insert(path) }
        }
        let documents = try await store.documents(at: Array(paths)).compactMap(\.self)
        return Dictionary(documents.map { ($0.path, $0) }) { first, _ in first }
    }
}

extension Document {
    /// The path of the device that reports the session.
    fileprivate var reporter: DocumentPath? {
        get throws(StoreError) {
            guard let id = self[CodingSession.Field.deviceID]?.string else { return nil }
            return try SessionsDocuments.device(id)
        }
    }

    fileprivate func sessionJSON(of device: Document?) -> JSONValue {
        typealias Field = CodingSession.Field
        typealias DeviceField = SessionsDocuments.DeviceField
        return [
            "session_id": json(Field.id), "device_id": json(Field.deviceID),
            "started_at": firstSeen(Field.lastSeenAt), "last_event": json(Field.lastSeenAt),
            "status": json(Field.status), "cwd": json(Field.cwd), "title": json(Field.title),
            "device_name": device?.json(DeviceField.name) ?? .null,
            "platform": device?.json(DeviceField.platform) ?? .null,
        ]
    }
}

extension FunctionRequest {
    /// The requested status; `nil` for any.
    fileprivate var status: String? { query["status"].flatMap { $0.isEmpty ? nil : $0 } }
}
