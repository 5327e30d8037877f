internal import DocumentStore

/// The name of a chunk: its message's id and its number within it.
public struct ChunkID: Hashable, Sendable, CustomStringConvertible {
    public let message: String
    public let number: Int

    public var description: String { "\(message)/\(number)" }
}

/// At most 500 targets of one multicast, all on one lane: the unit of durability and of scheduling.
///
/// Written once when accepted, again when its targets settle, and read back after a crash.
struct Chunk: Sendable {
    let id: ChunkID
    /// A Boolean value indicating whether it is stored in its message's document, as the first chunk is of a message that is cut
    /// at once.
    let isInMessage: Bool
    let lane: Lane
    var entries: [Entry]
    /// How many attempts have been made.
    var attempts: Int
    /// When to try next.
    var dueAt: Timestamp

    init(id: ChunkID, isInMessage: Bool, lane: Lane, entries: [Entry], attempts: Int, dueAt: Timestamp) {
        self.id = id
        self.isInMessage = isInMessage
        self.lane = lane
        self.entries = entries
        self.attempts = attempts
        self.dueAt = dueAt
    }

    var isSettled: Bool { entries.allSatisfy { $0.state != .pending } }

    /// What can be sent at a time.
    func pendingTargets(at time: Timestamp) -> [(index: Int, target: Target)] {
        entries.indices.compactMap { index in
            let entry = entries[index]
            guard entry.state == .pending, entry.notBefore ?? time <= time, let target = entry.target else {
                return nil
            }
            return (index, target)
        }
    }

    /// When the first of what is pending can be sent, if all of it waits until a time at least.
    func nextTry(notBefore time: Timestamp) -> Timestamp {
        entries.lazy.filter { $0.state == .pending }.map { max($0.notBefore ?? time, time) }.min() ?? time
    }
}
