public import DocumentStore
internal import Metrics

/// Takes messages and makes them durable; from then on they belong to the dispatcher.
public struct Outbox: Sendable {
    private let store: any DocumentStore
    private let dispatcher: Dispatcher
    private let defaultLifetime: Duration
    private let now: @Sendable () -> Timestamp

    /// The indexes the outbox asks of its store.
    public static let fieldIndexes = [
        FieldIndex(
            collectionGroup: OutboxDocuments.messages, field: FieldPath(OutboxDocuments.acceptedAt), type: .timestamp),
        FieldIndex(
            collectionGroup: OutboxDocuments.chunks, field: FieldPath(OutboxDocuments.settledAt), type: .timestamp),
        FieldIndex(collectionGroup: OutboxDocuments.chunks, field: QueuePlace.field, type: .string),
    ]

    /// - Parameter defaultLifetime: for messages that do not say how long they are to be tried; FCM's is 30 days.
    public init(
        store: any DocumentStore, dispatcher: Dispatcher, defaultLifetime: Duration = .seconds(30 * 86_400),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.dispatcher = dispatcher
        self.defaultLifetime = defaultLifetime
        self.now = now
    }

    /// Stores the multicast, message and chunks in one commit, and hands it to the dispatcher.
    ///
    /// When this returns, every target will be sent to, or rejected, or have expired, whatever becomes of this process.
    /// When it throws, nothing was accepted.
    ///
    /// - Parameter writes: what else belongs to the same commit.
    public func accept(_ multicast: Multicast, alongside writes: [Write] = []) async throws(StoreError) -> Delivery {
        let acceptedAt = now()
        let accepted = AcceptedMessage(
            id: DocumentPath.randomID(), message: multicast.message, source: multicast.source,
            registrationFields: multicast.registrationFields, acceptedAt: acceptedAt,
            expiresAt: acceptedAt.adding(multicast.lifetime ?? defaultLifetime), senderID: multicast.senderID)
        let chunks = Chunking.chunks(of: multicast, message: accepted.id, dueAt: acceptedAt)
        let message = try self.writes(for: accepted, chunks, targetCount: multicast.targets.count)
        try await commit(message + writes, of: chunks)
        Counter(label: "pushgate_messages_accepted_total", dimensions: [("source", multicast.source)]).increment()
        let delivery = Delivery(messageID: accepted.id, targets: multicast.targets.count, chunks: chunks.count)
        dispatcher.enqueue(chunks.map { Job(chunk: $0, message: accepted, delivery: delivery) })
        return delivery
    }

    private func commit(_ writes: [Write], of chunks: [Chunk]) async throws(StoreError) {
        dispatcher.reserve(chunks)
        do {
            _ = try await store.commit(writes)
        } catch {
            dispatcher.forget(chunks)
            throw error
        }
    }

    private func writes(
        for accepted: AcceptedMessage, _ chunks: [Chunk], targetCount: Int
    ) throws(StoreError) -> [Write] {
        let fields = accepted.fields(targetCount: targetCount, chunkCount: chunks.count)
        var writes = [Write.create(try OutboxDocuments.messagePath(accepted.id), fields)]
        for chunk in chunks {
            writes.append(.create(try OutboxDocuments.chunkPath(chunk.id), chunk.fields(settledAt: nil)))
        }
        return writes
    }
}
