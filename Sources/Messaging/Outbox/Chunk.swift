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
    /// How one target stands.
    enum State: Hashable, Sendable {
        case pending
        case accepted
        case rejected(code: String, reason: String)
    }

    struct Entry: Sendable {
        /// nil once settled: a token is kept for as long as it is needed, and no longer.
        var target: Target?
        var state: State
        /// Why the last attempt came to nothing, while pending.
        var lastFailure: Failure?
    }

    let id: ChunkID
    let lane: Lane
    let tokenField: String
    var entries: [Entry]
    /// How many attempts have been made.
    var attempts: Int
    /// When to try next.
    var dueAt: Timestamp

    init(id: ChunkID, lane: Lane, tokenField: String, entries: [Entry], attempts: Int, dueAt: Timestamp) {
        self.id = id
        self.lane = lane
        self.tokenField = tokenField
        self.entries = entries
        self.attempts = attempts
        self.dueAt = dueAt
    }

    var pendingIndices: [Int] { entries.indices.filter { entries[$0].state == .pending } }

    var isSettled: Bool { entries.allSatisfy { $0.state != .pending } }

    /// Records what became of one target.
    mutating func record(_ outcome: Outcome, at index: Int) {
        switch outcome {
        case .accepted:
            entries[index] = Entry(target: nil, state: .accepted)
        case .rejected(let rejection):
            let state = State.rejected(code: rejection.code.rawValue, reason: rejection.reason)
            entries[index] = Entry(target: nil, state: state)
        case .failed(let failure):
            entries[index].lastFailure = failure
        }
    }
}
