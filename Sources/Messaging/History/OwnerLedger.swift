import DocumentStore

/// The bytes of settled messages by owner, as far as they have been added up, without I/O.
struct OwnerLedger: Sendable {
    /// The time up to which settled chunks are counted.
    private(set) var countedThrough = Timestamp.distantPast
    private var bytes: [String: Int] = [:]
    /// The owners above their share.
    private(set) var over: Set<String> = []
    let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func add(_ chunks: [SettledChunk], through time: Timestamp) {
        for chunk in chunks { change(chunk.owner, by: chunk.bytes) }
        countedThrough = max(countedThrough, time)
    }

    /// Subtracts chunks.
    ///
    /// - Parameter chunks: the chunks of a deleted message. Chunks that were never added are skipped.
    mutating func remove(_ chunks: [SettledChunk]) {
        for chunk in chunks where chunk.settledAt <= countedThrough { change(chunk.owner, by: -chunk.bytes) }
    }

    private mutating func change(_ owner: String, by change: Int) {
        let sum = max(0, bytes[owner, default: 0] + change)
        bytes[owner] = sum > 0 ? sum : nil
        if sum > limit { over.insert(owner) } else { over.remove(owner) }
    }
}

/// A settled chunk, as far as the clean-up needs it.
struct SettledChunk: Hashable, Sendable {
    let owner: String
    let bytes: Int
    let settledAt: Timestamp

    init(owner: String, bytes: Int, settledAt: Timestamp) {
        self.owner = owner
        self.bytes = bytes
        self.settledAt = settledAt
    }

    /// Reads a settled chunk; `nil` for one of an older version, which counts towards no share and is deleted by its
    /// age.
    init?(_ document: Document) {
        guard let owner = document[OutboxDocuments.owner]?.string, let bytes = document[OutboxDocuments.bytes]?.integer,
            let settledAt = document[OutboxDocuments.settledAt]?.timestamp
        else { return nil }
        self.init(owner: owner, bytes: Int(clamping: bytes), settledAt: settledAt)
    }
}
