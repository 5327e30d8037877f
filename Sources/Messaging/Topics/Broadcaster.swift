public import DocumentStore
public import Logging
public import ServiceLifecycle
import Synchronization

/// Sends messages to topics and conditions: however many match, one page of them is in memory.
///
/// A message is accepted with its condition. Then the subscribers are gone through, and each page of them becomes chunks in the
/// commit that notes how far it has come: after a crash it goes on from there. So that a large topic delays nobody, messages
/// take turns, a page each.
public final class Broadcaster: Service {
    private let store: any DocumentStore
    private let outbox: Outbox
    private let reader: SubscriberReader
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let hasNews = Mutex(true)
    private let news = Bell()

    /// How long to wait before a page that failed is tried again.
    private static let retryDelay = Duration.seconds(1)
    /// How many messages are taken turns with.
    private static let batch = 20

    public init(
        store: any DocumentStore, outbox: Outbox, clock: any Clock<Duration> = .continuous, logger: Logger
    ) {
        self.store = store
        self.outbox = outbox
        self.clock = clock
        self.logger = logger
        reader = SubscriberReader(store: store)
    }

    /// Stores a message for all who match the condition while it is being sent.
    ///
    /// - Parameter multicast: what to send; its targets are found later.
    /// - Returns: the message's id. When this throws, nothing was accepted.
    public func accept(_ multicast: Multicast, to condition: Condition) async throws(StoreError) -> String {
        var multicast = multicast
        multicast.condition = condition
        let message = outbox.admit(multicast)
        let broadcast = Broadcast(messageID: message.id, condition: condition)
        try await outbox.commit(
            [], of: message,
            alongside: [
                .create(try OutboxDocuments.messagePath(message.id), message.fields(targetCount: 0, chunkCount: 0)),
                .create(try broadcast.path, broadcast.fields),
            ])
        outbox.countAccepted(multicast.source)
        hasNews.withLock { $0 = true }
        news.ring()
        return message.id
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown { await self.work() }
    }

    private func work() async {
        while !Task.isCancelled {
            hasNews.withLock { $0 = false }
            do {
                if try await turn() { continue }
                await news.wait(atMost: .seconds(60), clock: clock) { self.hasNews.withLock { $0 } }
            } catch {
                guard !Task.isCancelled else { return }
                logger.error("could not go on with a message to a topic; trying again", metadata: ["error": "\(error)"])
                try? await clock.sleep(for: Self.retryDelay)
            }
        }
    }

    /// Takes each message a page further.
    ///
    /// - Returns: whether there were any.
    private func turn() async throws -> Bool {
        let query = Query.collection(try CollectionPath(Broadcast.collection)).limited(to: Self.batch)
        let documents = try await store.documents(matching: query)
        for document in documents {
            do {
                try await advance(try Broadcast(document: document))
            } catch let error as UnreadableOutboxDocument {
                logger.error("giving up a message to a topic", metadata: ["error": "\(error)"])
                _ = try await store.commit([.delete(document.path)])
            }
        }
        return !documents.isEmpty
    }

    private func advance(_ broadcast: Broadcast) async throws {
        guard let document = try await store.document(at: OutboxDocuments.messagePath(broadcast.messageID)) else {
            throw UnreadableOutboxDocument(path: try broadcast.path)
        }
        let message = try AcceptedMessage(document: document)
        var page = SubscriberReader.Page()
        if message.expiresAt > outbox.now() {
            page = try await reader.page(of: broadcast.condition, after: broadcast.after)
        }
        var next = broadcast
        let chunks = Chunking.chunks(
            of: page.targets, message: message.id, firstNumber: broadcast.chunkCount, dueAt: outbox.now())
        next.chunkCount += chunks.count
        next.targetCount += page.targets.count
        next.after = page.last
        let progress = page.last == nil ? try end(next) : [.set(try next.path, next.fields)]
        try await outbox.commit(chunks, of: message, alongside: progress)
        try await remove(page.voidSubscriptions)
    }

    /// The message with its final counts. One that matched nobody gets a chunk without targets, so that it is forgotten when
    /// it is old, as all are.
    private func end(_ broadcast: Broadcast) throws -> [Write] {
        logger.debug(
            "message to a topic cut into chunks",
            metadata: ["message": "\(broadcast.messageID)", "targets": "\(broadcast.targetCount)"])
        var writes: [Write] = [
            .delete(try broadcast.path),
            .update(
                try OutboxDocuments.messagePath(broadcast.messageID),
                [
                    "targetCount": .integer(Int64(broadcast.targetCount)),
                    "chunkCount": .integer(Int64(broadcast.chunkCount)),
                ]),
        ]
        if broadcast.chunkCount == 0 {
            let now = outbox.now()
            let empty = Chunk(
                id: ChunkID(message: broadcast.messageID, number: 0), lane: Lane(transport: .emulated), entries: [],
                attempts: 0, dueAt: now)
            writes.append(.create(try OutboxDocuments.chunkPath(empty.id), empty.fields(settledAt: now)))
        }
        return writes
    }

    /// Of registrations that are gone: nobody else would ever remove them. One that was made anew meanwhile stays.
    private func remove(_ subscriptions: [Document]) async throws(StoreError) {
        for subscription in subscriptions {
            do {
                _ = try await store.commit([
                    .delete(subscription.path, precondition: .updateTime(subscription.updateTime))
                ])
            } catch {
                guard error.code == .failedPrecondition else { throw error }
            }
        }
    }
}
