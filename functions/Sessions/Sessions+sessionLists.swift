internal import DocumentStore
internal import JSON

/// The lists of sessions.
extension Sessions {
    /// Lists a page of all sessions: those that have not ended first, and of each kind the last heard of first.
    @Sendable func listSessions(_ request: FunctionRequest) async throws -> FunctionResponse {
        let list = try SessionList(
            status: request.status, excludesEnded: try request.flag("exclude_ended"), offset: try request.offset(),
            limit: try request.limit(SessionList.page))
        // One more than was asked for says whether there are more.
        let found = try await documents(of: list, atMost: list.limit + 1)
        let page = found.prefix(list.limit)
        return try await answer(
            page, hasMore: found.count > list.limit, nextOffset: list.offset + page.count)
    }

    /// Lists the newest sessions of a device: none of one that is unknown. There is no second page.
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
            // Of the next query only so many are left out as this one did not have.
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

    /// Reads the devices of the sessions, by their paths: ids that only look the same are not the same.
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
    /// The path of the device that reports a session.
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
    /// The status asked for; `nil` for any.
    fileprivate var status: String? { query["status"].flatMap { $0.isEmpty ? nil : $0 } }
}
