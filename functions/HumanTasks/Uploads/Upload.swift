internal import Synchronization

/// A body that is being received, into memory that may be taken away from it. One task appends to it.
final class Upload: Sendable {
    fileprivate struct State {
        var bytes: [UInt8] = []
        /// The bytes there is memory for.
        var capacity: Int
        var holder: SharedBudget.Holder?
        var isLost = false
    }

    let networks: [String]
    private let maximum: Int
    private let memory: UploadMemory
    private let state: Mutex<State>

    /// - Parameters:
    ///   - networks: the client's address, and the networks it is in, from the narrowest on.
    ///   - maximum: the most that it can have, in bytes.
    init(from networks: [String], atMost maximum: Int, in memory: UploadMemory) {
        self.networks = networks
        self.maximum = maximum
        self.memory = memory
        state = Mutex(State(capacity: memory.freeBytes))
    }

    /// - Returns: whether there was memory for it.
    func append(_ piece: [UInt8]) -> Bool {
        guard makeRoom(for: piece.count) else { return false }
        return state.withLock { state in
            guard !state.isLost else { return false }
            state.bytes.reserveCapacity(min(state.capacity, maximum))
            state.bytes += piece
            return true
        }
    }

    /// Takes twice as much each time, so that bytes are seldom moved.
    private func makeRoom(for count: Int) -> Bool {
        let (size, capacity, holder) = state.withLock { ($0.bytes.count + count, $0.capacity, $0.holder) }
        guard size > capacity else { return true }
        let wanted = max(size, min(2 * capacity, maximum))
        // Bytes before the first taking were free, and are counted from then on.
        let more = holder == nil ? wanted : wanted - capacity
        let taker = memory.take(more, for: self, holder)
        state.withLock { state in
            state.holder = taker
            state.capacity = wanted
            if taker == nil { state.lose() }
        }
        return taker != nil
    }

    /// Gives the memory up at once; what still comes is not taken.
    func drop() { state.withLock { $0.lose() } }

    /// - Returns: the whole body, or `nil` if its memory was taken away.
    func finish() -> [UInt8]? {
        let holder = state.withLock(\.holder)
        guard holder.map(memory.keep) ?? true else { return nil }
        return state.withLock { state in
            defer { state.bytes = [] }
            return state.isLost ? nil : state.bytes
        }
    }

    func end() {
        if let holder = state.withLock(\.holder) { memory.end(holder) }
    }
}

extension Upload.State {
    fileprivate mutating func lose() {
        isLost = true
        bytes = []
    }
}
