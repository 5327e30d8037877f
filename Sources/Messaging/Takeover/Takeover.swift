package import DocumentStore
package import Logging
import Metrics
import ServiceLifecycle
import Synchronization

/// A service that takes over what gateways that are gone have accepted and not settled: it puts their chunks into this
/// gateway's queues, and its name on their broadcasts.
///
/// If several gateways share the documents, the leader does that as long as it runs. None of the commits of a gateway
/// that is gone is applied any more (see ``Membership``), so nobody else changes these documents. A gateway on its own
/// does it once, as its documents may come from others.
package final class Takeover: Service {
    private let store: any DocumentStore
    private let dispatcher: Dispatcher
    private let broadcaster: Broadcaster
    private let membership: (any Membership)?
    private let period: @Sendable () -> CommitPeriod?
    private let clock: any Clock<Duration>
    private let logger: Logger
    /// The positions that were or may have been put into this gateway's queues, and not been announced.
    private let attempted = Mutex<[AdoptedChunk]>([])
    private let hasTakenBroadcasts = Mutex(false)

    private static let interval = Duration.seconds(1)
    /// The number of documents that are read, and rewritten in one commit.
    private static let batch = 50

    /// Creates a takeover.
    ///
    /// - Parameters:
    ///   - membership: that of the dispatcher.
    ///   - period: returns the period of the store's commits; `nil` if others are known to commit too.
    package init(
        store: any DocumentStore, dispatcher: Dispatcher, broadcaster: Broadcaster, membership: (any Membership)?,
        period: @escaping @Sendable () -> CommitPeriod? = { nil }, clock: any Clock<Duration> = .continuous,
        logger: Logger
    ) {
        self.store = store
        self.dispatcher = dispatcher
        self.broadcaster = broadcaster
        self.membership = membership
        self.period = period
        self.clock = clock
        self.logger = logger
    }

    /// Takes over until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await self.membership?.untilLeader()
            while !Task.isCancelled {
                if await self.turn(), self.membership == nil { break }
                try? await self.clock.sleep(for: Self.interval)
            }
        }
        try? await gracefulShutdown()
    }

    /// Returns `false` if the next turn is to do what is left.
    private func turn() async -> Bool {
        do throws(StoreError) {
            // A commit of another gateway after this ends the period.
            let period = self.period()
            let (chunks, hasOthers) = try await takeChunks()
            let broadcasts = try await takeBroadcasts()
            announce()
            dispatcher.noteAlone(in: hasOthers || broadcasts > 0 ? nil : period)
            if chunks + broadcasts > 0 {
                logger.notice(
                    "took over the messages of a gateway that is gone",
                    metadata: ["chunks": "\(chunks)", "broadcasts": "\(broadcasts)"])
            }
            return true
        } catch {
            if !Task.isCancelled {
                logger.error("failed to take over messages; retrying", metadata: ["error": "\(error)"])
            }
            return false
        }
    }

    /// Makes the dispatcher and the broadcaster look for what turns up to this one, which has succeeded, have taken
    /// over.
    private func announce() {
        let positions = attempted.withLock { attempted in
            defer { attempted = [] }
            return attempted
        }
        dispatcher.lanes.adopted(positions)
        if hasTakenBroadcasts.withLock({ isSet in
            defer { isSet = false }
            return isSet
        }) {
            broadcaster.look()
        }
    }

    /// Returns the owners that are gone for good. Call it after reading what they own: a new gateway is a member before
    /// it owns anything.
    ///
    /// - Parameter owners: their names; `nil` for one that had its documents for itself.
    private func gone(of owners: some Sequence<String?>) async throws(StoreError) -> Set<String?> {
        let others = Set(owners).subtracting([membership?.name])
        guard let membership, others.contains(where: { $0 != nil }) else { return others }
        return others.subtracting(try await membership.names().map(Optional.some))
    }

    // MARK: Chunks

    /// Takes the chunks of gateways that are gone.
    ///
    /// - Returns: their number, and `true` if there were chunks in the queues of any other gateway.
    private func takeChunks() async throws(StoreError) -> (count: Int, hasOthers: Bool) {
        var (count, hasOthers, position) = (0, false, "")
        while let first = try await store.documents(matching: QueueKey.chunks(after: position).limited(to: 1)).first,
            let text = first[OutboxDocuments.queue]?.string
        {
            let end = QueueKey.end(of: text)
            let owner = QueueKey.owner(in: text).map(String.init)
            hasOthers = hasOthers || owner != membership?.name
            if try await !gone(of: [owner]).isEmpty {
                count += try await takeQueue(after: position, before: end)
            }
            position = end
        }
        return (count, hasOthers)
    }

    private func takeQueue(after start: String, before end: String) async throws(StoreError) -> Int {
        var query = QueueKey.chunks(after: start, before: end).ordered(by: .documentName).limited(to: Self.batch)
        var count = 0
        while true {
            let chunks = try await store.documents(matching: query)
            count += try await take(chunks)
            guard chunks.count == Self.batch, let last = chunks.last, let text = last[OutboxDocuments.queue] else {
                break
            }
            query.start = Cursor([text, .reference(last.path.name(in: store.database))], isAfter: true)
        }
        Counter(label: "pushgate_chunks_taken_over_total").increment(by: count)
        return count
    }

    /// Rewrites the positions of chunks. Documents of others in collections of the same id stay as they are.
    private func take(_ chunks: [Document]) async throws(StoreError) -> Int {
        var writes: [[Write]] = []
        var positions: [AdoptedChunk] = []
        for chunk in chunks {
            guard ChunkID(chunk.path) != nil, let text = chunk[OutboxDocuments.queue]?.string else { continue }
            let position = dispatcher.queue.adopted(text)
            writes.append([
                .merge(
                    chunk.path, [OutboxDocuments.queue: .string(position)],
                    precondition: .updateTime(chunk.updateTime))
            ])
            guard let lane = Lane(key: dispatcher.queue.laneKey(in: position)) else { continue }
            positions.append(
                AdoptedChunk(
                    lane: lane, dueAt: chunk[OutboxDocuments.dueAt]?.timestamp ?? .distantPast,
                    collapseKey: chunk[OutboxDocuments.collapseKey]?.string.flatMap(CollapseKey.init(text:))))
        }
        // A commit whose answer was lost may be applied: the lanes are read again also then.
        attempted.withLock { $0 += positions }
        return try await store.commit(groups: writes)
    }

    // MARK: Broadcasts

    private func takeBroadcasts() async throws(StoreError) -> Int {
        var count = 0
        var last: DocumentPath?
        repeat {
            let page = try await broadcaster.documents(after: last, limit: Self.batch)
            let gone = try await gone(of: page.map { $0[Broadcast.owner]?.string })
            for broadcast in page where gone.contains(broadcast[Broadcast.owner]?.string) {
                var fields: Fields = [:]
                hasTakenBroadcasts.withLock { $0 = true }
                fields[Broadcast.owner] = membership.map { .string($0.name) }
                count += try await store.commit(groups: [
                    [
                        .merge(
                            broadcast.path, fields, mask: [FieldPath(Broadcast.owner)],
                            precondition: .updateTime(broadcast.updateTime))
                    ]
                ])
            }
            last = page.count == Self.batch ? page.last?.path : nil
        } while last != nil
        return count
    }
}
