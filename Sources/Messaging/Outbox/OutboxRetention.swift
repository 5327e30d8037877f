public import DocumentStore
import Synchronization

/// Deletes messages some time after the last of their targets has settled, and sooner those of an owner that has more than
/// its share of them.
///
/// It goes through what has settled in the order in which it did, and deletes in small commits, so that what is accepted
/// meanwhile hardly waits. A message goes before the last of its chunks: cut short, the next sweep finds what is left. One to
/// a topic stays for as long as it is being cut into chunks, however old those are that it has.
///
/// The sums by owner are kept in memory: each sweep reads the chunks that have settled since the one before.
public final class OutboxRetention: Sendable {
    private struct State {
        var ledger: OwnerLedger
        /// When the ledger was begun.
        var begunAt: Timestamp
        /// The owners that the last trim was for, and the position it reached.
        var trimmed: (owners: Set<String>, through: Cursor?) = ([], nil)
    }

    private let store: any DocumentStore
    private let maximumAge: Duration
    private let limit: Int
    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>

    /// How many chunks are read, and documents deleted, at once.
    private static let batch = 100
    /// The most chunks that one sweep adds up, and that it examines for deletion; the next goes on from there.
    private static let maximumReads = 100_000
    /// The time after which what was committed is in every read, even by a slow disk.
    private static let lag = Duration.seconds(10)
    /// The sums are made anew once a day: what settled while the clock was set back is then in them.
    private static let ledgerLifetime = Duration.seconds(86_400)

    /// - Parameters:
    ///   - maximumAge: how long a message is kept once it has settled.
    ///   - maximumBytesPerOwner: the most bytes that the settled messages of one owner keep; 0 for any number.
    public init(
        store: any DocumentStore, maximumAge: Duration, maximumBytesPerOwner: Int = 0,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.maximumAge = maximumAge
        limit = maximumBytesPerOwner
        self.now = now
        state = Mutex(State(ledger: OwnerLedger(limit: maximumBytesPerOwner), begunAt: now()))
    }

    /// Deletes what has been settled for longer than the maximum age, and the oldest of what an owner has too much of.
    ///
    /// - Returns: how many messages were deleted.
    @discardableResult
    public func sweep() async throws -> Int {
        // Else a message would seem to have settled while some of its chunks are where older versions kept them.
        guard try await !OutboxUpgrade(store: store).isNeeded() else { return 0 }
        var deleted = try await deleteOld()
        guard limit > 0 else { return deleted }
        try await addUp()
        deleted += try await trim()
        return deleted
    }

    private func deleteOld() async throws -> Int {
        let cutoff = now().adding(.zero - maximumAge)
        var deleted = 0
        _ = try await forEachBatch(from: nil, before: cutoff) { chunks in
            for message in Set(chunks.compactMap(\.path.outboxMessage)).sorted() {
                if try await delete(message, ifSettledBefore: cutoff) { deleted += 1 }
            }
            return true
        }
        return deleted
    }

    // MARK: Shares

    private func addUp() async throws {
        let time = now()
        state.withLock { state in
            // Also when the clock was set back.
            guard time < state.begunAt || time - state.begunAt > Self.ledgerLifetime else { return }
            state = State(ledger: OwnerLedger(limit: limit), begunAt: time)
        }
        let through = time.adding(.zero - Self.lag)
        let start = Cursor([.timestamp(state.withLock(\.ledger.countedThrough))], isAfter: true)
        var count = 0
        let end = try await forEachBatch(from: start, before: through) { chunks in
            let last = chunks.last?[OutboxDocuments.settledAt]?.timestamp ?? through
            state.withLock { $0.ledger.add(chunks.compactMap(SettledChunk.init), through: last) }
            count += chunks.count
            return count < Self.maximumReads
        }
        // Chunks that settle at that very moment are still to come.
        if end == nil { state.withLock { $0.ledger.add([], through: through.adding(.microseconds(-1))) } }
    }

    /// Deletes the oldest messages of owners that have too much, until they have no more than their share.
    private func trim() async throws -> Int {
        let over = state.withLock(\.ledger.over)
        guard !over.isEmpty else { return 0 }
        let time = state.withLock(\.ledger.countedThrough)
        let start = state.withLock { over.isSubset(of: $0.trimmed.owners) ? $0.trimmed.through : nil }
        var (deleted, count) = (0, 0)
        var seen: Set<DocumentPath> = []
        /// The first chunk that its owner keeps for now: the next sweep begins there.
        var kept: Cursor?
        let end = try await forEachBatch(from: start, before: time) { chunks in
            for chunk in chunks {
                guard let owner = chunk[OutboxDocuments.owner]?.string, over.contains(owner),
                    let message = chunk.path.outboxMessage, !seen.contains(message)
                else { continue }
                guard state.withLock({ $0.ledger.over.contains(owner) }) else {
                    kept = kept ?? cursor(of: chunk, isAfter: false)
                    continue
                }
                seen.insert(message)
                if try await delete(message, ifSettledBefore: time) { deleted += 1 }
            }
            count += chunks.count
            return count < Self.maximumReads && state.withLock { !$0.ledger.over.isEmpty }
        }
        state.withLock { $0.trimmed = (over, end == nil ? nil : kept ?? end) }
        return deleted
    }

    // MARK: Chunks

    /// Goes through the chunks that settled before a time, in the order in which they did, for as long as the body wants
    /// more.
    ///
    /// - Returns: where it stopped, or `nil` if there is no more.
    private func forEachBatch(
        from start: Cursor?, before time: Timestamp, _ body: ([Document]) async throws -> Bool
    ) async throws -> Cursor? {
        var query = OutboxDocuments.settled(before: time, limit: Self.batch)
        query.start = start
        while true {
            let chunks = try await store.documents(matching: query)
            let wantsMore = try await body(chunks)
            guard let last = chunks.last, chunks.count == Self.batch, let end = cursor(of: last, isAfter: true) else {
                return nil
            }
            query.start = end
            if !wantsMore { return end }
        }
    }

    private func cursor(of chunk: Document, isAfter: Bool) -> Cursor? {
        chunk[OutboxDocuments.settledAt].map {
            Cursor([$0, .reference(chunk.path.name(in: store.database))], isAfter: isAfter)
        }
    }

    /// A message, its broadcast and its further chunks; `nil` for one that cannot be read, which stays, and keeps no other from
    /// going.
    private func documents(
        of message: DocumentPath
    ) async throws(StoreError) -> (named: [Document?], matching: [Document])? {
        do {
            return try await store.documents(
                at: [message, Broadcast.path(of: message.id)], matching: OutboxDocuments.furtherChunks(of: message))
        } catch {
            guard error.code == .dataLoss else { throw error }
            return nil
        }
    }

    private func delete(_ message: DocumentPath, ifSettledBefore cutoff: Timestamp) async throws -> Bool {
        guard let (named, further) = try await documents(of: message) else { return false }
        guard named[1] == nil else { return false }
        let chunks = [named[0]].compactMap(\.self).filter(\.isChunk) + further
        guard chunks.allSatisfy({ $0[OutboxDocuments.settledAt]?.timestamp.map { $0 < cutoff } ?? false }) else {
            return false
        }
        var paths = ([message] + further.map(\.path))[...]
        while !paths.isEmpty {
            _ = try await store.commit(paths.prefix(Self.batch).map { .delete($0) })
            paths = paths.dropFirst(Self.batch)
        }
        state.withLock { $0.ledger.remove(chunks.compactMap(SettledChunk.init)) }
        return !chunks.isEmpty
    }
}

extension DocumentPath {
    /// The message whose chunk this is; `nil` for a document of another's.
    fileprivate var outboxMessage: DocumentPath? {
        guard ChunkID(self) != nil else { return nil }
        return collection.parent ?? self
    }
}
