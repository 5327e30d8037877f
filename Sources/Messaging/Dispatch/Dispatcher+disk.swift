internal import DocumentStore
internal import Logging
import Synchronization

/// What the dispatcher reads from disk.
extension Dispatcher {
    /// How many chunks are read at once: 500 targets each make some 20 MB at the most.
    private static let batch = 100

    /// Reads chunks that are due whenever the interval has passed, and sooner while there are more than fit in memory.
    func readWhatIsDue() async {
        while !Task.isCancelled {
            do {
                try await readBatch()
            } catch {
                logger.error("could not read the outbox; trying again", metadata: ["error": "\(error)"])
                try? await clock.sleep(for: configuration.pollInterval)
            }
            await roomOnDisk.wait(atMost: configuration.pollInterval, clock: clock) {
                self.state.withLock(\.wantsMore)
            }
        }
    }

    private func readBatch() async throws(StoreError) {
        let unknown = try await unknownChunks()
        state.withLock { $0.diskRead(foundMore: unknown.count > Self.batch) }
        try await takeUp(Array(unknown.prefix(Self.batch)))
    }

    /// The chunks that are due and not known, more than a batch of them when there are that many.
    ///
    /// Names are read first, and documents only of chunks that are not known at that moment. A chunk that finishes in
    /// between is read in its new state, so none is taken up twice. Documents of others in collections of the same id
    /// are read over, however many there are.
    private func unknownChunks() async throws(StoreError) -> [DocumentPath] {
        var limit = state.withLock(\.knownCount) + Self.batch + 1
        while true {
            var query = OutboxDocuments.due(at: now(), limit: limit)
            query.projection = []
            let due = try await store.documents(matching: query).map(\.path)
            let unknown = state.withLock { state in due.filter { ChunkID($0).map { !state.isKnown($0) } ?? false } }
            guard due.count == limit, unknown.count <= Self.batch else { return unknown }
            limit *= 2
        }
    }

    private func takeUp(_ paths: [DocumentPath]) async throws(StoreError) {
        guard !paths.isEmpty else { return }
        let documents = try await store.documents(at: paths).compactMap { $0 }
        let messages = try await messages(of: documents)
        let time = now()
        var jobs: [Job] = []
        for document in documents where document[OutboxDocuments.dueAt] != nil {
            do {
                let chunk = try Chunk(document: document)
                guard chunk.dueAt <= time else { continue }
                guard let message = messages[chunk.id.message] else {
                    throw UnreadableOutboxDocument(path: try OutboxDocuments.messagePath(chunk.id.message))
                }
                let delivery = state.withLock { $0.reclaimDelivery(of: chunk.id) }
                jobs.append(Job(chunk: chunk, message: message, delivery: delivery))
            } catch {
                setAside(document.path, because: error)
            }
        }
        logger.debug("took up chunks from disk", metadata: ["chunks": "\(jobs.count)"])
        enqueue(jobs)
    }

    /// Leaves a chunk that cannot be sent where it is, until the next start, and out of the way of the others.
    private func setAside(_ path: DocumentPath, because error: any Error) {
        logger.error("cannot send a chunk", metadata: ["chunk": "\(path)", "error": "\(error)"])
        if let id = ChunkID(path) { state.withLock { $0.reserve([id]) } }
    }

    private func messages(of chunks: [Document]) async throws(StoreError) -> [String: AcceptedMessage] {
        let paths = Set(chunks.compactMap { $0.path.collection.parent })
        var messages: [String: AcceptedMessage] = [:]
        for case let document? in try await store.documents(at: Array(paths)) {
            do {
                messages[document.path.id] = try AcceptedMessage(document: document)
            } catch {
                logger.error("skipping a message", metadata: ["error": "\(error)"])
            }
        }
        return messages
    }
}

extension ChunkID {
    /// nil when the path is no chunk's of the outbox.
    fileprivate init?(_ path: DocumentPath) {
        guard let message = path.collection.parent, message.collection.description == OutboxDocuments.messages,
            let number = Int(path.id)
        else { return nil }
        self.init(message: message.id, number: number)
    }
}
