package import DocumentStore
import Synchronization

/// The clean-up of settled messages: it deletes them after a maximum age, and earlier for an owner that exceeds its
/// share.
///
/// It reads settled chunks in the order of their settlement, and deletes in small commits that hardly delay other
/// commits. A message is deleted before the last of its chunks: after an interruption the next sweep finds the rest.
/// A broadcast stays until all its chunks exist, however old the first ones are.
///
/// The sums by owner are in memory: each sweep adds the chunks that have settled since the one before.
package final class OutboxRetention: Sendable {
    private struct State {
        var ledger: OwnerLedger
        /// The time at which the sums were started.
        var begunAt: Timestamp
        /// The owners of the last trim, and the position that it reached.
        var trimmed: (owners: Set<String>, through: Cursor?) = ([], nil)
    }

    private let store: any DocumentStore
    private let maximumAge: Duration
    private let limit: Int
    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>

    /// The number of chunks that are read, and of documents that are deleted, at once.
    private static let batch = 100
    /// The maximum number of chunks that one sweep adds up, and that it checks for deletion. The next sweep continues
    /// there.
    private static let maximumReads = 100_000
    /// The time after which a commit is visible to every read, even with a slow disk.
    private static let lag = Duration.seconds(10)
    /// The maximum age of the sums. Starting them again once a day includes chunks that settled while the clock was
    /// set back.
    private static let ledgerLifetime = Duration.seconds(86_400)

    /// Creates a clean-up.
    ///
    /// - Parameters:
    ///   - maximumAge: the time that a message is kept after it has settled.
    ///   - maximumBytesPerOwner: the maximum size of one owner's settled messages in bytes; 0 for no limit.
    package init(
        store: any DocumentStore, maximumAge: Duration, maximumBytesPerOwner: Int = 0,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.maximumAge = maximumAge
        limit = maximumBytesPerOwner
        self.now = now
        state = Mutex(State(ledger: OwnerLedger(limit: maximumBytesPerOwner), begunAt: now()))
    }

    /// Deletes messages that have been settled for longer than the maximum age, and the oldest ones of owners above
    /// their share.
    ///
    /// - Returns: the number of deleted messages.
    @discardableResult
    package func sweep() async throws -> Int {
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
            // The first condition: the clock was set back.
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
        // Chunks that settle at exactly this time may still follow.
        if end == nil { state.withLock { $0.ledger.add([], through: through.adding(.microseconds(-1))) } }
    }

    /// Deletes the oldest messages of owners above their share, until they are within it.
    private func trim() async throws -> Int {
        let over = state.withLock(\.ledger.over)
        guard !over.isEmpty else { return 0 }
        let time = state.withLock(\.ledger.countedThrough)
        let start = state.withLock { over.isSubset(of: $0.trimmed.owners) ? $0.trimmed.through : nil }
        var (deleted, count) = (0, 0)
        var seen: Set<DocumentPath> = []
        /// The first chunk that its owner keeps for now. The next sweep begins there.
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

    /// Reads the chunks that settled before a time, in that order, until the body returns `false`.
    ///
    /// - Returns: the position at which it stopped, or `nil` if there are no more chunks.
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

    /// Returns a message, its broadcast and its chunks in documents of their own; `nil` if one cannot be read. Such a
    /// message stays, and the others are still deleted.
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
        var paths = ([message, try ReceiptDocuments.path(of: message.id)] + further.map(\.path))[...]
        while !paths.isEmpty {
            _ = try await store.commit(paths.prefix(Self.batch).map { .delete($0) })
            paths = paths.dropFirst(Self.batch)
        }
        state.withLock { $0.ledger.remove(chunks.compactMap(SettledChunk.init)) }
        return !chunks.isEmpty
    }
}

extension DocumentPath {
    /// The message of this chunk; `nil` for a document of another collection.
    fileprivate var outboxMessage: DocumentPath? {
        guard ChunkID(self) != nil else { return nil }
        return collection.parent ?? self
    }
}
