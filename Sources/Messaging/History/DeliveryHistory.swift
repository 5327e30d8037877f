package import DocumentStore
package import Logging

/// A lookup of the outcomes of messages, as long as they are kept.
///
/// A message to a topic may have a million targets. One page of its chunks is in memory at a time.
package struct DeliveryHistory: Sendable {
    /// The collections at the root with the contents of messages and the registrations that they are sent to.
    package static let collections = [OutboxDocuments.messages, Broadcast.collection]

    private let store: any DocumentStore
    private let unreadable: UnreadableDocuments

    /// The number of chunks in a page: at most 10,000 notifications.
    private static let pageSize = 20

    /// Creates a lookup.
    package init(store: any DocumentStore, logger: Logger = Logger(label: "pushgate.deliveries")) {
        self.store = store
        unreadable = UnreadableDocuments(logger: logger)
    }

    /// Returns the messages accepted before a time, the newest first, with counts and without notifications.
    package func deliveries(before time: Timestamp = .distantFuture, limit: Int) async throws -> [DeliveryRecord] {
        var records: [DeliveryRecord] = []
        let query = OutboxDocuments.accepted(before: time, limit: limit)
        // Another module may have a collection with that id below a document of its own.
        for document in try await store.documents(matching: query) where document.path.collection.parent == nil {
            do {
                guard let record = try await record(of: document.path, page: nil) else { continue }
                records.append(record)
            } catch  where error.isOfOneDocument {
                unreadable.report(document.path, because: "\(error)")
            }
        }
        return records
    }

    /// Returns the delivery of a message, with a page of its notifications counted from 0; `nil` if there is no such
    /// message, or no longer.
    package func delivery(of messageID: String, page: Int = 0) async throws -> DeliveryRecord? {
        try await record(of: OutboxDocuments.messagePath(messageID), page: page)
    }

    private func record(of path: DocumentPath, page: Int?) async throws -> DeliveryRecord? {
        // Both documents are read at one moment: the message contains its number of chunks only after the broadcast
        // has ended.
        let documents = try await store.documents(at: [path, Broadcast.path(of: path.id)])
        guard let document = documents[0] else { return nil }
        let chunkCount = Int((documents[1] ?? document)["chunkCount"]?.integer ?? 0)
        var record = DeliveryRecord(try AcceptedMessage(document: document))
        for (number, first) in stride(from: 0, to: chunkCount, by: Self.pageSize).enumerated() {
            let chunks = try await chunks(of: document, first..<min(first + Self.pageSize, chunkCount))
            for entry in chunks.lazy.flatMap(\.entries) { record.count(entry.knownState) }
            if number == page { record.notifications = chunks.flatMap(\.notifications) }
        }
        if let page, (page + 1) * Self.pageSize < chunkCount { record.nextPage = page + 1 }
        return record
    }

    private func chunks(of message: Document, _ numbers: Range<Int>) async throws(StoreError) -> [Chunk] {
        let further = message.isChunk && numbers.lowerBound == 0 ? numbers.dropFirst() : numbers
        let paths = try further.map { number throws(StoreError) in
            try OutboxDocuments.furtherChunkPath(ChunkID(message: message.path.id, number: number))
        }
        var outcomes = Array(zip(paths, try await store.outcomes(at: paths)))
        if further.count < numbers.count { outcomes.insert((message.path, .success(message)), at: 0) }
        var chunks: [Chunk] = []
        for (path, outcome) in outcomes {
            do {
                if let document = try outcome.get() { chunks.append(try Chunk(document: document)) }
            } catch {
                unreadable.report(path, because: "\(error)")
            }
        }
        return chunks
    }
}

extension Error {
    /// `true` if one document cannot be read, while others may.
    fileprivate var isOfOneDocument: Bool {
        self is UnreadableOutboxDocument || (self as? StoreError)?.code == .dataLoss
    }
}

extension DeliveryRecord {
    fileprivate init(_ message: AcceptedMessage) {
        self.init(
            id: message.id, source: message.source, message: message.message, acceptedAt: message.acceptedAt,
            expiresAt: message.expiresAt)
    }

    fileprivate mutating func count(_ state: Chunk.State) {
        targets += 1
        switch state {
        case .pending: pending += 1
        case .accepted: accepted += 1
        case .superseded: superseded += 1
        case .rejected(let code, _): rejected[MessagingErrorCode(rawValue: code), default: 0] += 1
        }
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
    /// The state, with a replaced target as superseded, which it will be with the next attempt at its chunk.
    fileprivate var knownState: Chunk.State { isReplaced && state == .pending ? .superseded : state }

    fileprivate func recordedState(dueAt: Timestamp) -> NotificationRecord.State {
        switch knownState {
        case .pending: .pending(dueAt: max(notBefore ?? dueAt, dueAt))
        case .accepted: .accepted
        case .superseded: .superseded
        case .rejected(let code, let reason): .rejected(MessagingErrorCode(rawValue: code), reason: reason)
        }
    }
}
