public import DocumentStore

/// Deletes messages some time after the last of their targets has settled.
///
/// It goes through what has settled in the order in which it did, and deletes in small commits, so that what is accepted
/// meanwhile hardly waits. A message goes before the last of its chunks: cut short, the next sweep finds what is left. One to
/// a topic stays for as long as it is being cut into chunks, however old those are that it has.
public struct OutboxRetention: Sendable {
    private let store: any DocumentStore
    private let maximumAge: Duration
    private let now: @Sendable () -> Timestamp

    /// How many chunks are read, and documents deleted, at once.
    private static let batch = 100

    /// - Parameter maximumAge: how long a message is kept once it has settled.
    public init(store: any DocumentStore, maximumAge: Duration, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.maximumAge = maximumAge
        self.now = now
    }

    /// Deletes what has been settled for longer than the maximum age.
    ///
    /// - Returns: how many messages were deleted.
    @discardableResult
    public func sweep() async throws -> Int {
        let cutoff = now().adding(.zero - maximumAge)
        var query = OutboxDocuments.settled(before: cutoff, limit: Self.batch)
        var deleted = 0
        while true {
            let chunks = try await store.documents(matching: query)
            for message in Set(chunks.compactMap(\.path.outboxMessage)).sorted() {
                if try await delete(message, ifSettledBefore: cutoff) { deleted += 1 }
            }
            guard let last = chunks.last, let time = last[OutboxDocuments.settledAt], chunks.count == Self.batch else {
                return deleted
            }
            query.start = Cursor([time, .reference(last.path.name(in: store.database))], isAfter: true)
        }
    }

    private func delete(_ message: DocumentPath, ifSettledBefore cutoff: Timestamp) async throws -> Bool {
        guard try await store.document(at: Broadcast.path(of: message.id)) == nil else { return false }
        var query = Query.collection(try message.collection(OutboxDocuments.chunks))
        query.projection = [FieldPath(OutboxDocuments.settledAt)]
        let chunks = try await store.documents(matching: query)
        guard chunks.allSatisfy({ $0[OutboxDocuments.settledAt]?.timestamp.map { $0 < cutoff } ?? false }) else {
            return false
        }
        var paths = ([message] + chunks.map(\.path))[...]
        while !paths.isEmpty {
            _ = try await store.commit(paths.prefix(Self.batch).map { .delete($0) })
            paths = paths.dropFirst(Self.batch)
        }
        return !chunks.isEmpty
    }
}

extension DocumentPath {
    /// The message whose chunk this is; nil for a document of another's.
    fileprivate var outboxMessage: DocumentPath? {
        guard let message = collection.parent, message.collection.description == OutboxDocuments.messages else {
            return nil
        }
        return message
    }
}
