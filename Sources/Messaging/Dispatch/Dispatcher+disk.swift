internal import DocumentStore
internal import Logging
import Synchronization

/// What the dispatcher reads from disk.
extension Dispatcher {
    /// How many chunks are read at once: 500 targets each make some 10 MB at the most.
    private static let batch = 50

    /// How often the queue is counted.
    private static let countInterval = Duration.seconds(10)

    /// Reads chunks that are due whenever the interval has passed, and sooner while there are more than fit in memory.
    func readWhatIsDue() async {
        var nextCount = Timestamp.distantPast
        var latest: Timestamp?
        var isUpgraded = false
        while !Task.isCancelled {
            do {
                if !isUpgraded {
                    let count = try await OutboxUpgrade(store: store).run()
                    if count > 0 {
                        logger.notice("took over what an older version has kept", metadata: ["chunks": "\(count)"])
                    }
                    isUpgraded = true
                }
                let queues = try await queuesOnDisk()
                let before = if let latest { latest } else { try await lastAcceptance() }
                latest = followClock(from: before, queues.map(\.lane))
                if nextCount <= now() || nextCount > now().adding(Self.countInterval) {
                    nextCount = now().adding(Self.countInterval)
                    try await count(queues)
                }
                for queue in queues { try await readQueue(of: queue.lane, dueAt: queue.dueAt) }
                // What is nowhere on disk any more is not expected there for ever.
                for lane in state.withLock(\.lanesWithMore) where !queues.contains(where: { $0.lane == lane }) {
                    try await readQueue(of: lane, dueAt: nil)
                }
            } catch {
                guard !Task.isCancelled else { return }
                logger.error("could not read the outbox; trying again", metadata: ["error": "\(error)"])
                try? await clock.sleep(for: configuration.pollInterval)
            }
            let time = now()
            state.withLock { $0.forgetPauses(at: time) }
            // A lane's pause may have ended.
            wakeUp()
            await roomOnDisk.wait(atMost: configuration.pollInterval, clock: clock) {
                self.state.withLock(\.wantsMore)
            }
        }
    }

    /// When the clock was set back, what was put off by the old one would wait for as long as that was ahead; it is tried
    /// now, once.
    ///
    /// - Parameter before: the latest time seen so far.
    /// - Returns: the time.
    private func followClock(from before: Timestamp, _ lanes: [Lane]) -> Timestamp {
        let time = now()
        guard time.adding(Self.clockTolerance) < before else { return max(time, before) }
        logger.warning(
            "the clock was set back; what waits to be sent again is tried now", metadata: ["by": "\(before - time)"])
        // Nothing is put off for longer, unless a push service asks for more.
        state.withLock { $0.advance(lanes, until: before.adding(configuration.retryPolicy.maximum)) }
        return time
    }

    private static let clockTolerance = Duration.seconds(60)

    /// When the newest message was accepted, perhaps by an earlier process, by the clock it had.
    private func lastAcceptance() async throws(StoreError) -> Timestamp {
        let newest = try await store.documents(matching: OutboxDocuments.accepted(before: .distantFuture, limit: 1))
        return newest.first?[OutboxDocuments.acceptedAt]?.timestamp ?? .distantPast
    }

    /// The lanes that have a queue on disk, found one after the other, and when the first chunk of each is due.
    private func queuesOnDisk() async throws(StoreError) -> [(lane: Lane, dueAt: Timestamp)] {
        var queues: [(lane: Lane, dueAt: Timestamp)] = []
        var last: Substring?
        while let first = try await store.documents(matching: QueuePlace.first(afterLane: last)).first {
            let key = QueuePlace.laneKey(in: first[OutboxDocuments.queue]?.string ?? "")
            guard key != last else { break }
            if let lane = Lane(key: key) { queues.append((lane, first[OutboxDocuments.dueAt]?.timestamp ?? now())) }
            last = key
        }
        return queues
    }

    private func count(_ queues: [(lane: Lane, dueAt: Timestamp)]) async throws(StoreError) {
        let chunks = queues.isEmpty ? 0 : try await store.count(QueuePlace.all)
        let time = now()
        metrics.recordQueue(chunks: chunks, age: time - (queues.map(\.dueAt).min() ?? time))
    }

    /// Takes up the lane's chunks that are due, for as long as memory has room for them, and notes when to look again.
    private func readQueue(of lane: Lane, dueAt: Timestamp?) async throws(StoreError) {
        let now = now()
        guard state.withLock({ $0.isToRead(lane, dueAt: dueAt, at: now) }) else { return }
        let times = state.withLock { $0.willRead(lane, at: now) }
        do {
            try await takeUp(lane, dueAfter: times.after, by: times.through)
            let next = try await store.documents(matching: QueuePlace.first(in: lane, dueAfter: times.through)).first
            state.withLock { $0.didRead(lane, nextDue: next?[OutboxDocuments.dueAt]?.timestamp) }
        } catch {
            state.withLock { state in
                state.diskRead(of: lane, dueBy: times.through, left: times.after)
                state.didRead(lane, nextDue: .distantPast)
            }
            throw error
        }
    }

    private func takeUp(_ lane: Lane, dueAfter start: Timestamp, by end: Timestamp) async throws(StoreError) {
        let room = state.withLock { $0.room(in: lane) }
        let unknown = try await unknownChunks(of: lane, dueAfter: start, by: end, atLeast: room + 1)
        var rest = unknown[...]
        while !rest.isEmpty, state.withLock({ $0.room(in: lane) }) > 0 {
            try await takeUp(Array(rest.prefix(Self.batch)), in: lane, at: end)
            rest = rest.dropFirst(Self.batch)
        }
        // There may be more than was asked for.
        let left = rest.first ?? (unknown.count > room ? unknown.last : nil)
        let leftDueAt = if let left { try await dueTime(of: left) ?? start } else { Timestamp?.none }
        state.withLock { $0.diskRead(of: lane, dueBy: end, left: leftDueAt) }
    }

    /// Returns when a chunk is due, or `nil` if it is not there any more, or cannot be read.
    private func dueTime(of chunk: DocumentPath) async throws(StoreError) -> Timestamp? {
        guard case .success(let document?)? = try await store.outcomes(at: [chunk]).first else { return nil }
        return document[OutboxDocuments.dueAt]?.timestamp
    }

    /// The chunks that are due and not known: as many as asked for, when there are that many.
    ///
    /// Names are read first, and documents only of chunks that are not known at that moment. A chunk that finishes in
    /// between is read in its new state, so none is taken up twice. Documents of others in collections of the same id
    /// are read over, however many there are.
    private func unknownChunks(
        of lane: Lane, dueAfter start: Timestamp, by end: Timestamp, atLeast count: Int
    ) async throws(StoreError) -> [DocumentPath] {
        var limit = state.withLock { $0.knownCount(in: lane) } + count
        while true {
            let due = try await store.documents(
                matching: QueuePlace.due(in: lane, after: start, by: end, limit: limit))
            let unknown = state.withLock { state in
                due.map(\.path).filter { path in ChunkID(path).map { !state.isKnown($0, in: lane) } ?? false }
            }
            guard due.count == limit, unknown.count < count else { return unknown }
            limit *= 2
        }
    }

    private func takeUp(_ paths: [DocumentPath], in lane: Lane, at time: Timestamp) async throws(StoreError) {
        let documents = try await chunks(at: paths, in: lane)
        let messages = try await messages(of: documents)
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
                setAside(document.path, in: lane, because: error)
            }
        }
        logger.debug("took up chunks from disk", metadata: ["chunks": "\(jobs.count)", "lane": "\(resolved(lane))"])
        enqueue(jobs)
    }

    /// Reads the chunks that are there. One that cannot be read holds up no others.
    private func chunks(at paths: [DocumentPath], in lane: Lane) async throws(StoreError) -> [Document] {
        var chunks: [Document] = []
        for (path, outcome) in zip(paths, try await store.outcomes(at: paths)) {
            switch outcome {
            case .success(let document): if let document { chunks.append(document) }
            case .failure(let error): setAside(path, in: lane, because: error)
            }
        }
        return chunks
    }

    /// Leaves a chunk that cannot be sent where it is, until the next start, and out of the way of the others.
    private func setAside(_ path: DocumentPath, in lane: Lane, because error: any Error) {
        logger.error("cannot send a chunk", metadata: ["chunk": "\(path)", "error": "\(error)"])
        if let id = ChunkID(path) { state.withLock { $0.reserve(id, in: lane) } }
    }

    /// Reads the messages that the chunks are of, and not in.
    private func messages(of chunks: [Document]) async throws(StoreError) -> [String: AcceptedMessage] {
        let paths = Set(chunks.compactMap { $0.path.collection.parent })
        var outcomes = chunks.filter { $0.path.collection.parent == nil }.map(Result<Document?, StoreError>.success)
        outcomes += try await store.outcomes(at: Array(paths))
        var messages: [String: AcceptedMessage] = [:]
        for outcome in outcomes {
            do {
                guard let document = try outcome.get() else { continue }
                messages[document.path.id] = try AcceptedMessage(document: document)
            } catch {
                logger.error("skipping a message", metadata: ["error": "\(error)"])
            }
        }
        return messages
    }
}
