internal import DocumentStore
internal import JSON

/// What the app has been told, or should have been: pushes get lost, this list does not lose any.
extension Sessions {
    private static let page = 50
    /// The most ids of one call.
    private static let maximumIDs = 500

    /// In the order of `created_at`, of which no two are equal: whoever goes on after the last one they have seen sees
    /// every one once.
    @Sendable func listNotifications(_ request: FunctionRequest) async throws -> FunctionResponse {
        var after = Timestamp.distantPast
        if let text = request.query["after"], !text.isEmpty {
            guard let time = Timestamp(text) else { throw SessionsError.badRequest("after must be valid RFC 3339") }
            after = time
        }
        let createdAt = FieldPath(SessionNotification.Field.createdAt)
        let documents = try await store.documents(
            matching: .collection(try SessionsDocuments.notifications())
                .where(createdAt, .greaterThan, .timestamp(after)).ordered(by: createdAt)
                .limited(to: try request.limit(Self.page)))
        return .list("notifications", documents.map(\.notificationJSON))
    }

    /// Ids that are not known, or not any more, are ignored.
    @Sendable func acknowledge(_ request: FunctionRequest) async throws -> FunctionResponse {
        var paths = try Set(ids(in: try await object(of: request)).compactMap(Self.path)).sorted()
        while !paths.isEmpty {
            paths = try await store.documents(at: paths).compactMap { $0?.path }
            do {
                _ = try await store.commit(
                    paths.map { .update($0, [SessionNotification.Field.isAcknowledged: .boolean(true)]) })
                break
            } catch {
                // One was too old, and deleted at this moment.
                guard error.code == .notFound else { throw error }
            }
        }
        return .done
    }

    private func ids(in object: JSONObject) throws(SessionsError) -> [String] {
        let lists = ["ids", "notification_ids"].compactMap { object[$0] }.filter { $0 != .null }
        guard !lists.isEmpty else { throw .badRequest("ids is required") }
        var ids: [String] = []
        for list in lists {
            guard let elements = list.array, case let texts = elements.compactMap(\.string),
                texts.count == elements.count
            else { throw .badRequest("ids must be a list of strings") }
            ids += texts
        }
        guard ids.count <= Self.maximumIDs else { throw .badRequest("at most \(Self.maximumIDs) ids at once") }
        return ids
    }

    /// nil for what cannot be an id.
    private static func path(_ id: String) -> DocumentPath? { try? SessionsDocuments.notification(id) }
}

extension Document {
    fileprivate var notificationJSON: JSONValue {
        typealias Field = SessionNotification.Field
        return [
            "id": .string(path.id), "event_id": eventNumber, "session_id": json(Field.sessionID),
            "device_id": json(Field.deviceID), "title": json(Field.title), "body": json(Field.body),
            "notification_type": json(Field.kind), "created_at": json(Field.createdAt),
            "acknowledged": json(Field.isAcknowledged),
        ]
    }
}
