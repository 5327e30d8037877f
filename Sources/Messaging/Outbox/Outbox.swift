package import DocumentStore
import JSON
import Metrics
import Synchronization

/// The stored queue of accepted messages. It makes messages durable and hands them to the dispatcher. It is a class,
/// because the callbacks of each commit would copy all its parts.
package final class Outbox: Sendable {
    private let store: any DocumentStore
    private let dispatcher: Dispatcher
    /// The lifetime of messages that name none.
    let defaultLifetime: Duration
    private let accepted = KeptMetrics<String, Counter> {
        Counter(label: "pushgate_messages_accepted_total", dimensions: [("source", $0)])
    }
    let now: @Sendable () -> Timestamp
    let acceptanceOrder = AcceptanceOrder()
    /// Memory for the next message's text.
    private let textMemory = Mutex<[UInt8]>([])
    /// The greatest such memory that is kept, in bytes.
    private static let mostTextMemory = 16_384

    /// The name of this gateway among those that share the documents; `nil` if it has them for itself.
    var owner: String? { dispatcher.owner }

    /// The indexes that the outbox needs in its store.
    package static let fieldIndexes = [
        FieldIndex(
            collectionGroup: OutboxDocuments.messages, field: FieldPath(OutboxDocuments.acceptedAt), type: .timestamp),
        FieldIndex(
            collectionGroup: OutboxDocuments.messages, field: FieldPath(OutboxDocuments.settledAt), type: .timestamp),
        FieldIndex(collectionGroup: OutboxDocuments.messages, field: QueueKey.field, type: .string),
        FieldIndex(
            collectionGroup: OutboxDocuments.messages, field: FieldPath(OutboxDocuments.collapseKey), type: .string),
    ]

    /// Creates an outbox.
    ///
    /// - Parameter defaultLifetime: the lifetime of messages that name none; FCM's is 30 days.
    package init(
        store: any DocumentStore, dispatcher: Dispatcher, defaultLifetime: Duration = .seconds(30 * 86_400),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.dispatcher = dispatcher
        self.defaultLifetime = defaultLifetime
        self.now = now
    }

    /// Stores a message and its targets, as chunks in one commit, and hands them to the dispatcher.
    ///
    /// After this returns, every target will be sent to, rejected or expired, even if the process ends. If this
    /// throws, nothing was accepted. A message without targets is not stored; only the other writes are.
    ///
    /// - Parameter writes: further writes of the same commit.
    package func accept(
        _ draft: Draft, to targets: [Target], alongside writes: [Write] = []
    ) async throws(StoreError) -> Delivery {
        let delivery = try await submit(draft, to: targets, alongside: writes)
        try await delivery.accepted()
        return delivery
    }

    /// Accepts like ``accept(_:to:alongside:)``, without waiting for the commit. The delivery's progress waits for
    /// it, and throws its error. Older messages that still wait are read before, if this one may replace them.
    ///
    /// - Parameters:
    ///   - collection: the collection of the targets' registrations, if they are known to be in one.
    ///   - excluded: the number of registrations that were left out, for the delivery's progress.
    package func submit(
        _ draft: Draft, to targets: [Target], below collection: CollectionPath? = nil, excluded: Int = 0,
        alongside writes: [Write] = []
    ) async throws(StoreError) -> Delivery {
        guard !targets.isEmpty else {
            let acceptance = MessageAcceptance(messageID: nil, excluded: excluded)
            return submit(try draft.writes(acceptance, and: writes), draft.mark, excluded: excluded)
        }
        let acceptedAt = now()
        let id = acceptanceOrder.nextID(at: acceptedAt)
        let allWrites = try draft.writes(MessageAcceptance(messageID: id, excluded: excluded), and: writes)
        var chunks = chunks(of: draft, to: targets, below: collection, message: id, at: acceptedAt)
        let message = message(
            of: draft, id: id, at: acceptedAt, targetCount: targets.count, chunkCount: chunks.count)
        let delivery = delivery(of: id)
        let source = draft.source
        var onDisk = WaitingTargets()
        let batch = try await batch(
            of: &chunks, of: message, withdrawing: draft.withdrawnIDs, alongside: allWrites, draft.mark,
            onDisk: &onDisk)
        commit(batch, delivery: delivery) { [self] result in
            if case .success = result { countAccepted(source) }
            delivery.commitEnded(result, excluded: excluded)
        }
        return delivery
    }

    private func submit(_ writes: [Write], _ mark: DocumentCache.Mark?, excluded: Int) -> Delivery {
        let delivery = delivery(of: DocumentPath.randomID())
        guard !writes.isEmpty else {
            delivery.commitEnded(.success(()), excluded: excluded)
            return delivery
        }
        store.commit(writes, with: .during(nil, while: mark?.isCurrent)) { result in
            delivery.commitEnded(result.map { _ in () }, excluded: excluded)
        }
        return delivery
    }

    /// Returns the delivery of a message that is about to be accepted.
    func delivery(of messageID: String) -> Delivery { dispatcher.delivery(of: messageID) }

    private func chunks(
        of draft: Draft, to targets: [Target], below collection: CollectionPath?, message id: String, at time: Timestamp
    ) -> [Chunk] {
        var chunks = Chunking.chunks(of: targets, below: collection, message: id, dueAt: time)
        if draft.followsRegistrations {
            for index in chunks.indices { chunks[index].followsRegistrations = true }
        }
        return chunks
    }

    /// Returns the message of a draft, with an id and its times.
    ///
    /// - Parameter condition: the condition that selects the targets, if there is one.
    func admit(_ draft: Draft, to condition: Condition? = nil) -> AcceptedMessage {
        let acceptedAt = now()
        return message(of: draft, id: acceptanceOrder.nextID(at: acceptedAt), at: acceptedAt, to: condition)
    }

    private func message(
        of draft: Draft, id: String, at acceptedAt: Timestamp, to condition: Condition? = nil, targetCount: Int = 0,
        chunkCount: Int = 0
    ) -> AcceptedMessage {
        AcceptedMessage(
            id: id, message: draft.message, source: draft.source, owner: draft.owner, text: text(of: draft.message),
            registrationFields: draft.registrationFields, acceptedAt: acceptedAt,
            expiresAt: draft.expiresAt ?? acceptedAt.adding(draft.lifetime ?? defaultLifetime),
            senderID: draft.senderID, condition: condition?.description, badge: draft.badge, targetCount: targetCount,
            chunkCount: chunkCount)
    }

    private func text(of message: Message) -> String {
        var memory: [UInt8] = []
        textMemory.withLock { swap(&$0, &memory) }
        let text = message.jsonText(memory: &memory)
        if memory.capacity <= Self.mostTextMemory { textMemory.withLock { swap(&$0, &memory) } }
        return text
    }

    func countAccepted(_ source: String) {
        accepted[source].increment()
    }

    /// Stores further chunks of a broadcast together with other writes, and hands them to the dispatcher.
    ///
    /// - Parameter onDisk: the waiting targets that were read for earlier chunks of the message.
    func commit(
        _ chunks: [Chunk], of message: AcceptedMessage, alongside writes: [Write], delivery: Delivery? = nil,
        onDisk: inout WaitingTargets
    ) async throws(StoreError) {
        var chunks = chunks
        let batch = try await batch(of: &chunks, of: message, isNew: false, alongside: writes, onDisk: &onDisk)
        let result = await withCheckedContinuation { continuation in
            commit(batch, delivery: delivery) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Returns chunks of a message, and the targets that they replace.
    ///
    /// - Parameters:
    ///   - chunks: the chunks, which get their keys here.
    ///   - isNew: `false` for a message that was accepted before. It replaces only older messages, and newer ones
    ///     replace it.
    ///   - ids: the collapse ids of further messages that it replaces.
    ///   - mark: that of the draft.
    func batch(
        of chunks: inout [Chunk], of message: AcceptedMessage, isNew: Bool = true, withdrawing ids: [String] = [],
        alongside writes: [Write], _ mark: DocumentCache.Mark? = nil, onDisk: inout WaitingTargets
    ) async throws(StoreError) -> ChunkBatch {
        follow(&chunks)
        setKeys(of: &chunks, of: message, withdrawing: ids)
        let mayMissPages = isNew && acceptanceOrder.isCuttingOlder(than: message)
        let replaced = try await dispatcher.superseding.replaced(
            by: chunks, isNew: isNew, in: mark?.period, onDisk: &onDisk)
        if !isNew {
            for index in chunks.indices {
                chunks[index].replace(replaced.overtaken[chunks[index].id] ?? [])
                chunks[index].replace(acceptanceOrder.overtaken(in: chunks[index]))
            }
        }
        var batch = try ChunkBatch(chunks, of: message, replacing: replaced, alongside: writes, in: dispatcher.queue)
        batch.isNew = isNew
        batch.mayMissPages = mayMissPages
        batch.isCurrent = mark?.isCurrent
        return batch
    }

    /// Returns `true` if a message like a draft waits for one of the targets, and so would be replaced by it: no push
    /// service is known to have accepted it.
    package func isWaiting(like draft: Draft, for targets: [Target]) async throws(StoreError) -> Bool {
        let message = admit(draft)
        var chunks = chunks(of: draft, to: targets, below: nil, message: message.id, at: message.acceptedAt)
        follow(&chunks)
        setKeys(of: &chunks, of: message)
        var onDisk = WaitingTargets()
        let replaced = try await dispatcher.superseding.replaced(by: chunks, isNew: true, onDisk: &onDisk)
        return !replaced.isEmpty
    }

    /// Makes chunks follow the registrations of their targets if the transport of their lane wants that.
    private func follow(_ chunks: inout [Chunk]) {
        for index in chunks.indices where dispatcher.followsRegistrations(chunks[index].lane) {
            chunks[index].followsRegistrations = true
        }
    }

    /// Gives chunks of a message the keys of what they replace: nothing if the message had expired before it was
    /// accepted, because it is never sent.
    private func setKeys(of chunks: inout [Chunk], of message: AcceptedMessage, withdrawing ids: [String] = []) {
        guard message.expiresAt > message.acceptedAt else { return }
        for index in chunks.indices {
            // The key has only the app of a lane, which the configuration gives to a lane without one.
            var lane = chunks[index].lane
            if lane.app.bundleID == nil { lane = dispatcher.resolved(lane) }
            chunks[index].collapseKey = CollapseKey(of: message, in: lane)
            chunks[index].withdrawnKeys = ids.map { CollapseKey(ofAlerts: $0, sender: message.owner, in: lane) }
        }
    }

    /// Commits a batch, queues its chunks, and reports the result later.
    func commit(
        _ batch: ChunkBatch, delivery: Delivery?, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        let jobs = batch.jobs(for: delivery)
        // Before the commit, so that the dispatcher does not read the chunks from the disk as well.
        let early = dispatcher.reserve(jobs)
        let writes = batch.marks.isEmpty ? batch.writes : batch.writes + batch.marks
        store.commit(writes, with: .during(batch.replaced.period, while: batch.isCurrent)) { [self] result in
            switch result {
            case .success:
                // Before the jobs start: an older chunk may be on its way from the disk at this moment, or an older
                // message may be cut.
                committed(batch)
                delivery?.added(batch.chunks)
                dispatcher.enqueue(batch.isNew ? jobs : jobs.map(withoutOvertaken), isNew: true, early)
                completion(.success(()))
            case .failure(let error):
                dispatcher.forget(jobs)
                if error.mayBeApplied { dispatcher.noteOnDisk(jobs) }
                // An older message is gone, and so waits no longer.
                guard error.code == .notFound, !batch.marks.isEmpty else { return completion(.failure(error)) }
                commit(batch.withoutMarks, delivery: delivery, completion: completion)
            }
        }
    }

    private func committed(_ batch: ChunkBatch) {
        dispatcher.lanes.marked(batch.replaced)
        let isOlderCut = acceptanceOrder.committed(batch.chunks, of: batch.message)
        // Pages are cut one at a time, so a page misses no other.
        guard batch.isNew, isOlderCut || batch.mayMissPages else { return }
        dispatcher.tasks.add { await self.markMissedPages(batch) }
    }

    /// Marks what a batch replaces in pages that were committed after the look for older messages. They may be only on
    /// disk.
    private func markMissedPages(_ batch: ChunkBatch) async {
        var onDisk = WaitingTargets()
        // Without the marks these pages are sent, as after any crash before this.
        let missed = try? await dispatcher.superseding.replaced(by: batch.chunks, isNew: false, onDisk: &onDisk)
        if let missed { mark(missed) }
    }

    private func mark(_ replaced: ReplacedTargets) {
        guard !replaced.isEmpty, let marks = try? replaced.marks else { return }
        store.commit(marks) { [dispatcher] result in
            if case .success = result { dispatcher.lanes.marked(replaced) }
        }
    }

    /// Returns a job without the targets that newer messages have replaced during its commit, and marks them on disk
    /// too.
    private func withoutOvertaken(_ job: ChunkJob) -> ChunkJob {
        let overtaken = acceptanceOrder.overtaken(in: job.chunk)
        guard !overtaken.isEmpty else { return job }
        var replaced = ReplacedTargets()
        replaced.insert(overtaken.map(job.chunk.place))
        // Without the marks an attempt after a crash sends to these targets, as after any crash before a commit.
        mark(replaced)
        var job = job
        job.chunk.replace(overtaken)
        return job
    }
}

/// Chunks of a message before the commit that stores them.
struct ChunkBatch: Sendable {
    let chunks: [Chunk]
    let message: AcceptedMessage
    /// `false` if the message was accepted before.
    var isNew = true
    /// `true` if pages of older messages may have been committed after the look for what the chunks replace.
    var mayMissPages = false
    /// Returns `false` if what the chunks come from has changed; `nil` if that cannot be.
    var isCurrent: (@Sendable () -> Bool)?
    private(set) var replaced: ReplacedTargets
    /// The chunks' documents, and further ones.
    let writes: [Write]
    /// The marks of the replaced targets.
    private(set) var marks: [Write]

    init(
        _ chunks: [Chunk], of message: AcceptedMessage, replacing replaced: ReplacedTargets, alongside writes: [Write],
        in queue: QueueKey
    ) throws(StoreError) {
        var writes = writes
        for chunk in chunks {
            writes.append(.create(try chunk.path(of: message), chunk.pendingFields(of: message, in: queue)))
        }
        self.chunks = chunks
        self.message = message
        self.replaced = replaced
        self.writes = writes
        marks = try replaced.marks
    }

    func jobs(for delivery: Delivery?) -> [ChunkJob] {
        chunks.map { chunk in
            var job = ChunkJob(chunk: chunk, message: message, delivery: delivery)
            job.mayBeOvertaken = !isNew
            return job
        }
    }

    var withoutMarks: ChunkBatch {
        var batch = self
        batch.replaced = replaced.withoutTargets
        batch.marks = []
        return batch
    }
}
