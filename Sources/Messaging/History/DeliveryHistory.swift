public import DocumentStore

/// Looks up what became of messages, for as long as they are kept.
public struct DeliveryHistory: Sendable {
    private let store: any DocumentStore

    public init(store: any DocumentStore) { self.store = store }

    /// The messages accepted before a time, the newest first.
    public func deliveries(before time: Timestamp = .distantFuture, limit: Int) async throws -> [DeliveryRecord] {
        var records: [DeliveryRecord] = []
        let query = OutboxDocuments.accepted(before: time, limit: limit)
        // Another module may have a collection of that id below a document of its own.
        for document in try await store.documents(matching: query) where document.path.collection.parent == nil {
            records.append(try await record(of: document))
        }
        return records
    }

    /// The delivery of a message; nil when there is no such message, or no longer.
    public func delivery(of messageID: String) async throws -> DeliveryRecord? {
        guard let document = try await store.document(at: OutboxDocuments.messagePath(messageID)) else { return nil }
        return try await record(of: document)
    }

    private func record(of document: Document) async throws -> DeliveryRecord {
        let message = try AcceptedMessage(document: document)
        let query = Query.collection(try document.path.collection(OutboxDocuments.chunks))
        let chunks = try await store.documents(matching: query).map { try Chunk(document: $0) }
        return DeliveryRecord(
            id: message.id, source: message.source, message: message.message, acceptedAt: message.acceptedAt,
            expiresAt: message.expiresAt,
            notifications: chunks.sorted { $0.id.number < $1.id.number }.flatMap(\.notifications))
    }
}

extension Chunk {
    fileprivate var notifications: [NotificationRecord] {
        entries.indices.map { index in
            let entry = entries[index]
            return NotificationRecord(
                id: NotificationID(chunk: id, index: index), registration: entry.registration, lane: lane,
                state: entry.recordedState(dueAt: dueAt), settledAt: entry.settledAt,
                failures: entry.failures.map {
                    NotificationRecord.Failure(
                        at: $0.at, code: MessagingErrorCode(rawValue: $0.code), reason: $0.reason)
                })
        }
    }
}

extension Chunk.Entry {
    fileprivate func recordedState(dueAt: Timestamp) -> NotificationRecord.State {
        switch state {
        case .pending: .pending(dueAt: max(notBefore ?? dueAt, dueAt))
        case .accepted: .accepted
        case .rejected(let code, let reason): .rejected(MessagingErrorCode(rawValue: code), reason: reason)
        }
    }
}
