import DocumentStore
import Logging

/// A reader of the queues on disk, which hands due chunks to a dispatcher while memory accepts them.
struct QueueReader: Sendable {
    private let context: DispatchContext
    private let dispatcher: Dispatcher

    /// The number of chunks read at once: with 500 targets each they take about 10 MB at most.
    private static let batch = 50

    /// The maximum number of chunks that are read of one lane before it is the next one's turn. Those with nothing to
    /// send take no room, and any number of them may be there.
    private static let turn = 1_000

    /// The interval at which the queue is counted.
    private static let countInterval = Duration.seconds(10)

    init(_ context: DispatchContext, for dispatcher: Dispatcher) {
        self.context = context
        self.dispatcher = dispatcher
    }

    /// Reads due chunks at an interval, and sooner if more are on disk than fit into memory, until the task is
    /// cancelled.
    func run() async {
        var nextCount = Timestamp.distantPast
        var latest: Timestamp?
        while !Task.isCancelled {
            do {
                if !context.lanes.isCaughtUp { try await countKeys() }
                try await settleEmptied()
                let queues = try await queuesOnDisk()
                // The clocks of other gateways may be ahead of this one.
                let before =
                    if let latest { latest } else {
                        context.membership == nil ? try await lastAcceptance() : .distantPast
                    }
                latest = detectClockRollback(from: before, queues.map(\.lane))
                if nextCount <= context.now() || nextCount > context.now().adding(Self.countInterval) {
                    nextCount = context.now().adding(Self.countInterval)
                    try await count(queues)
                }
                for first in queues { try await readQueue(of: first.lane, dueAt: first.dueAt) }
                // A lane without chunks on disk is read once more, so that it stops expecting some.
                for lane in context.lanes.withBacklog where !queues.contains(where: { $0.lane == lane }) {
                    try await readQueue(of: lane, dueAt: nil)
                }
                context.lanes.caughtUp()
            } catch {
                guard !Task.isCancelled else { return }
                context.logger.error("failed to read the outbox; retrying", metadata: ["error": "\(error)"])
                try? await context.clock.sleep(for: context.configuration.pollInterval)
            }
            context.lanes.forgetPauses()
            // The pause of a lane may have ended.
            dispatcher.wakeUp()
            await context.lanes.waitForMemory(atMost: context.configuration.pollInterval, clock: context.clock)
        }
    }

    /// Detects a clock that was set back. Chunks that were postponed by the old clock would wait for the whole
    /// difference; they are tried once now.
    ///
    /// - Parameter before: the latest time seen so far.
    /// - Returns: the current time.
    private func detectClockRollback(from before: Timestamp, _ queued: [Lane]) -> Timestamp {
        let time = context.now()
        guard time.adding(Self.clockTolerance) < before else { return max(time, before) }
        context.logger.warning(
            "retrying all waiting messages now; the clock was set back", metadata: ["by": "\(before - time)"])
        // No chunk is postponed for longer, unless a push service asks for more.
        context.lanes.advance(queued, until: before.adding(context.configuration.retryPolicy.maximum))
        return time
    }

    private static let clockTolerance = Duration.seconds(60)

    /// Returns the acceptance time of the newest message, by the clock of the process that accepted it.
    private func lastAcceptance() async throws(StoreError) -> Timestamp {
        let newest = try await context.store.documents(
            matching: OutboxDocuments.accepted(before: .distantFuture, limit: 1))
        return newest.first?[OutboxDocuments.acceptedAt]?.timestamp ?? .distantPast
    }

    /// Returns the lanes with a queue on disk, found one after the other, and the time at which the first chunk of
    /// each is due.
    private func queuesOnDisk() async throws(StoreError) -> [(lane: Lane, dueAt: Timestamp)] {
        var queues: [(lane: Lane, dueAt: Timestamp)] = []
        var last: Substring?
        while let first = try await context.store.documents(matching: context.queue.first(afterLane: last)).first {
            let key = context.queue.laneKey(in: first[OutboxDocuments.queue]?.string ?? "")
            guard key != last else { break }
            if let lane = Lane(key: key) {
                queues.append((lane, first[OutboxDocuments.dueAt]?.timestamp ?? context.now()))
            }
            last = key
        }
        return queues
    }

    private func count(_ queues: [(lane: Lane, dueAt: Timestamp)]) async throws(StoreError) {
        let chunks = queues.isEmpty ? 0 : try await context.store.count(context.queue.all)
        let time = context.now()
        let age = max(.zero, time - (queues.map(\.dueAt).min() ?? time))
        context.metrics.recordQueue(chunks: chunks, age: age)
        context.recent.record(RecentOutcomes.Queue(chunks: chunks, age: age))
    }

    /// Loads due chunks of a lane while memory accepts them, and records the time of the next read.
    private func readQueue(of lane: Lane, dueAt: Timestamp?) async throws(StoreError) {
        guard let times = context.lanes.beginReading(lane, dueAt: dueAt) else { return }
        do {
            try await load(lane, dueAfter: times.after, by: times.through)
            let next = try await context.store.documents(
                matching: context.queue.first(in: lane, dueAfter: times.through)
            ).first
            context.lanes.didRead(lane, nextDue: next?[OutboxDocuments.dueAt]?.timestamp)
        } catch {
            endReading(of: lane, dueBy: times.through, left: times.after)
            context.lanes.didRead(lane, nextDue: .distantPast)
            throw error
        }
    }

    private func load(_ lane: Lane, dueAfter start: Timestamp, by end: Timestamp) async throws(StoreError) {
        let now = context.now()
        var count = context.lanes.room(in: lane, at: now) + 1
        var unknown = try await unknownChunks(of: lane, dueAfter: start, by: end, atLeast: count)
        var rest = unknown[...]
        var (loaded, total) = (0, 0)
        while context.lanes.room(in: lane, at: now) > 0, context.lanes.canSettle(lane), total < max(count, Self.turn) {
            if rest.isEmpty {
                guard unknown.count >= count, loaded > 0 else { break }
                count = max(count, min(2 * count, Self.turn))
                unknown = try await unknownChunks(of: lane, dueAfter: start, by: end, atLeast: count)
                (rest, loaded) = (unknown[...], 0)
            } else {
                loaded += try await load(Array(rest.prefix(Self.batch)), in: lane, at: end)
                rest = rest.dropFirst(Self.batch)
                total += Self.batch
            }
        }
        // The limit of the query may hide more chunks.
        let left = rest.first ?? (unknown.count >= count ? unknown.last : nil)
        let leftDueAt = if let left { try await dueTime(of: left) ?? start } else { Timestamp?.none }
        endReading(of: lane, dueBy: end, left: leftDueAt)
    }

    /// Ends the reading of a lane, and queues the chunks that arrived meanwhile.
    private func endReading(of lane: Lane, dueBy end: Timestamp, left: Timestamp?) {
        if context.lanes.endReading(of: lane, dueBy: end, left: left) { dispatcher.wakeUp() }
    }

    /// Settles chunks on disk that newer messages have left with nothing to send, also in lanes that are held up: as
    /// many as a lane is read of in its turn, however fast others follow.
    private func settleEmptied() async throws(StoreError) {
        for _ in 0..<Self.turn / Self.batch {
            guard let (lane, chunks) = context.lanes.takeEmptied(atMost: Self.batch) else { return }
            do throws(StoreError) {
                try await settle(chunks, in: lane)
            } catch {
                context.lanes.noteEmptied(chunks, in: lane)
                throw error
            }
        }
    }

    private func settle(_ chunks: [ReplacedTargets.ChunkPlace], in lane: Lane) async throws(StoreError) {
        let ids = chunks.map(\.id)
        context.lanes.willLoad(ids)
        defer { context.lanes.didLoad(ids) }
        var paths: [DocumentPath] = []
        for chunk in chunks { paths.append(try chunk.path) }
        context.lanes.setAside(try await jobs(at: paths, in: lane))
        dispatcher.wakeUp()
    }

    /// Counts the collapse keys of the chunks that earlier processes left on disk.
    private func countKeys() async throws(StoreError) {
        let results = try await context.store.results(of: context.queue.all)
        while let chunks = try await results.next() {
            context.lanes.found(
                chunks.compactMap { chunk -> (id: ChunkID, lane: Lane, key: CollapseKey)? in
                    guard let id = ChunkID(chunk.path),
                        let key = chunk[OutboxDocuments.collapseKey]?.string.flatMap(CollapseKey.init(text:)),
                        let lane = Lane(key: context.queue.laneKey(in: chunk[OutboxDocuments.queue]?.string ?? ""))
                    else { return nil }
                    return (id, lane, key)
                })
        }
    }

    /// Returns the time at which a chunk is due; `nil` if it is gone or cannot be read.
    private func dueTime(of chunk: DocumentPath) async throws(StoreError) -> Timestamp? {
        guard case .success(let document?)? = try await context.store.outcomes(at: [chunk]).first else { return nil }
        return document[OutboxDocuments.dueAt]?.timestamp
    }

    /// Returns the due chunks that are not known: as many as requested, if there are enough.
    ///
    /// The names are read first, then the documents of chunks that are not known at that moment. A chunk that
    /// finishes in between is read in its new state, so no chunk is loaded twice. Documents of others in collections
    /// of the same id are skipped, in any number.
    private func unknownChunks(
        of lane: Lane, dueAfter start: Timestamp, by end: Timestamp, atLeast count: Int
    ) async throws(StoreError) -> [DocumentPath] {
        var limit = context.lanes.knownCount(in: lane) + count
        while true {
            let due = try await context.store.documents(
                matching: context.queue.due(in: lane, after: start, by: end, limit: limit))
            let unknown = context.lanes.unknown(due.map(\.path), in: lane)
            guard due.count == limit, unknown.count < count else { return unknown }
            limit *= 2
        }
    }

    /// Loads chunks, and returns their number. Those that are gone or cannot be read are left out.
    private func load(_ paths: [DocumentPath], in lane: Lane, at time: Timestamp) async throws(StoreError) -> Int {
        let ids = paths.compactMap { ChunkID($0) }
        context.lanes.willLoad(ids)
        defer { context.lanes.didLoad(ids) }
        let jobs = try await jobs(at: paths, in: lane, dueBy: time)
        context.logger.debug(
            "loaded chunks from disk", metadata: ["chunks": "\(jobs.count)", "lane": "\(context.resolved(lane))"])
        dispatcher.enqueue(jobs, isNew: false)
        return jobs.count
    }

    private func jobs(
        at paths: [DocumentPath], in lane: Lane, dueBy time: Timestamp = .distantFuture
    ) async throws(StoreError) -> [ChunkJob] {
        let documents = try await chunks(at: paths, in: lane)
        let messages = try await messages(of: documents)
        var jobs: [ChunkJob] = []
        for document in documents where document[OutboxDocuments.dueAt] != nil {
            do {
                let chunk = try Chunk(document: document)
                guard chunk.dueAt <= time else { continue }
                guard let message = messages[chunk.id.message] else {
                    throw UnreadableOutboxDocument(path: try OutboxDocuments.messagePath(chunk.id.message))
                }
                let delivery = context.lanes.reclaimDelivery(of: chunk.id)
                jobs.append(ChunkJob(chunk: chunk, message: message, delivery: delivery))
            } catch {
                quarantine(document.path, in: lane, because: error)
            }
        }
        return try await following(jobs)
    }

    /// Returns jobs with the present addresses of the registrations that their targets follow.
    private func following(_ jobs: [ChunkJob]) async throws(StoreError) -> [ChunkJob] {
        let paths = Set(jobs.flatMap(\.chunk.followedRegistrations))
        guard !paths.isEmpty else { return jobs }
        var registrations: [DocumentPath: Document] = [:]
        for case .success(let document?) in try await context.store.outcomes(at: Array(paths)) {
            registrations[document.path] = document
        }
        var jobs = jobs
        for index in jobs.indices { jobs[index].chunk.follow(registrations, jobs[index].message.registrationFields) }
        return jobs
    }

    /// Reads the existing chunks. One that cannot be read does not hold up the others.
    private func chunks(at paths: [DocumentPath], in lane: Lane) async throws(StoreError) -> [Document] {
        var chunks: [Document] = []
        for (path, outcome) in zip(paths, try await context.store.outcomes(at: paths)) {
            switch outcome {
            case .success(let document): if let document { chunks.append(document) }
            case .failure(let error): quarantine(path, in: lane, because: error)
            }
        }
        return chunks
    }

    /// Leaves a chunk that cannot be sent on disk until the next start, without holding up the others.
    private func quarantine(_ path: DocumentPath, in lane: Lane, because error: any Error) {
        context.logger.error(
            "setting aside a chunk that cannot be sent", metadata: ["chunk": "\(path)", "error": "\(error)"])
        if let id = ChunkID(path) { context.lanes.reserve(id, in: lane) }
    }

    /// Reads the messages of chunks that are in documents of their own.
    private func messages(of chunks: [Document]) async throws(StoreError) -> [String: AcceptedMessage] {
        let paths = Set(chunks.compactMap { $0.path.collection.parent })
        var outcomes = chunks.filter { $0.path.collection.parent == nil }.map(Result<Document?, StoreError>.success)
        outcomes += try await context.store.outcomes(at: Array(paths))
        var messages: [String: AcceptedMessage] = [:]
        for outcome in outcomes {
            do {
                guard let document = try outcome.get() else { continue }
                messages[document.path.id] = try AcceptedMessage(document: document)
            } catch {
                context.logger.error("skipping a message that cannot be read", metadata: ["error": "\(error)"])
            }
        }
        return messages
    }
}
