internal import DocumentStore

/// The bytes that settled messages keep, by owner, as far as they have been added up. Pure.
struct OwnerLedger: Sendable {
    /// The time up to which settled chunks are counted.
    private(set) var countedThrough = Timestamp.distantPast
    private var bytes: [String: Int] = [:]
    /// The owners that have more than their share.
    private(set) var over: Set<String> = []
    let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func add(_ chunks: [SettledChunk], through time: Timestamp) {
        for chunk in chunks { change(chunk.owner, by: chunk.bytes) }
        countedThrough = max(countedThrough, time)
    }

    /// - Parameter chunks: those of a message that was deleted; those that were never added are passed over.
    mutating func remove(_ chunks: [SettledChunk]) {
        for chunk in chunks where chunk.settledAt <= countedThrough { change(chunk.owner, by: -chunk.bytes) }
    }

    private mutating func change(_ owner: String, by change: Int) {
        let sum = max(0, bytes[owner, default: 0] + change)
        bytes[owner] = sum > 0 ? sum : nil
        if sum > limit { over.insert(owner) } else { over.remove(owner) }
    }
}

/// A settled chunk as the sweep sees it.
struct SettledChunk: Hashable, Sendable {
    let owner: String
    let bytes: Int
    let settledAt: Timestamp

    init(owner: String, bytes: Int, settledAt: Timestamp) {
        self.owner = owner
        self.bytes = bytes
        self.settledAt = settledAt
    }

    /// `nil` for a document of an older version, which counts towards nobody's share and goes by its age.
    init?(_ document: Document) {
        guard let owner = document[OutboxDocuments.owner]?.string, let bytes = document[OutboxDocuments.bytes]?.integer,
            let settledAt = document[OutboxDocuments.settledAt]?.timestamp
        else { return nil }
        self.init(owner: owner, bytes: Int(clamping: bytes), settledAt: settledAt)
    }
}
