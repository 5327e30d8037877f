internal import DocumentStore
internal import Logging

/// One page of one message's subscribers, and the end of a message.
extension Broadcaster {
    /// - Throws: ``UnreadableOutboxDocument``, or a ``StoreError``.
    func advance(_ broadcast: Broadcast) async throws {
        let path = try OutboxDocuments.messagePath(broadcast.messageID)
        guard let document = try await store.document(at: path) else { throw UnreadableOutboxDocument(path: path) }
        let message = try AcceptedMessage(document: document)
        guard message.expiresAt > outbox.now() else { return try await expire(broadcast, message) }
        let page = try await reader.page(of: broadcast.condition, after: broadcast.after)
        var next = broadcast
        let chunks = Chunking.chunks(
            of: page.targets, message: message.id, firstNumber: broadcast.chunkCount, dueAt: outbox.now())
        next.chunkCount += chunks.count
        next.targetCount += page.targets.count
        next.after = page.last
        let progress = page.last == nil ? try end(next, message) : [.set(try next.path, next.fields)]
        try await outbox.commit(chunks, of: message, alongside: progress)
        try await StoredRegistrations(store: store).removeVoid(page.voidSubscriptions)
    }

    private func expire(_ broadcast: Broadcast, _ message: AcceptedMessage) async throws(StoreError) {
        // Nothing new: it makes room, whatever room there is.
        _ = try await store.commit(try end(broadcast, message))
        logger.notice(
            "a message to a topic expired before all who match were looked for",
            metadata: ["message": "\(message.id)", "targets": "\(broadcast.targetCount)"])
    }

    /// The message with its final counts. One that matched nobody gets a chunk without targets, so that it is forgotten when
    /// it is old, as all are.
    private func end(_ broadcast: Broadcast, _ message: AcceptedMessage) throws(StoreError) -> [Write] {
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
            writes.append(.create(try OutboxDocuments.chunkPath(empty.id), empty.settledFields(at: now, of: message)))
        }
        return writes
    }

    /// Ends a message that can never come further. The chunks it has are sent; without any it goes too, since nothing would
    /// ever remove it.
    ///
    /// - Parameter document: the broadcast's.
    func giveUp(_ document: Document, because error: any Error) async throws(StoreError) {
        let message = try OutboxDocuments.messagePath(document.path.id)
        let chunkCount = try await store.count(.collection(try message.collection(OutboxDocuments.chunks)))
        let reason = (error as? UnreadableOutboxDocument).map { "\($0.path) is not as this gateway writes it" }
        logger.error(
            "a message to a topic cannot be sent to all who match, and is given up",
            metadata: ["message": "\(message.id)", "chunks": "\(chunkCount)", "reason": "\(reason ?? "\(error)")"])
        var writes: [Write] = [.delete(document.path)]
        if chunkCount == 0 {
            writes.append(.delete(message))
        } else if try await store.document(at: message) != nil {
            var counts: Fields = ["chunkCount": .integer(Int64(chunkCount))]
            counts["targetCount"] = document["targetCount"]
            writes.append(.update(message, counts))
        }
        _ = try await store.commit(writes)
    }
}
