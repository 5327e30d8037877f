import Synchronization

/// A body in reception, in memory that may be taken away from it. A single task appends to it.
final class Upload: Sendable {
    fileprivate struct State {
        var bytes: [UInt8] = []
        /// The number of bytes for which memory is reserved.
        var capacity: Int
        var holder: SharedBudget.Holder?
        var isLost = false
    }

    let networks: [String]
    private let maximum: Int
    private let memory: UploadMemory
    private let state: Mutex<State>

    /// - Parameters:
    ///   - networks: The client's address and the networks that contain it, narrowest first.
    ///   - maximum: The maximum size of the body, in bytes.
    init(from networks: [String], atMost maximum: Int, in memory: UploadMemory) {
        self.networks = networks
        self.maximum = maximum
        self.memory = memory
        state = Mutex(State(capacity: memory.freeBytes))
    }

    /// - Returns: `false` if there was not enough memory.
    func append(_ piece: [UInt8]) -> Bool {
        guard makeRoom(for: piece.count) else { return false }
        return state.withLock { state in
            guard !state.isLost else { return false }
            state.bytes.reserveCapacity(min(state.capacity, maximum))
            state.bytes += piece
            return true
        }
    }

    /// Doubles the reserved memory each time, so that bytes are seldom moved.
    private func makeRoom(for count: Int) -> Bool {
        let (size, capacity, holder) = state.withLock { ($0.bytes.count + count, $0.capacity, $0.holder) }
        guard size > capacity else { return true }
        let wanted = max(size, min(2 * capacity, maximum))
        // The bytes before the first reservation were free; from then on they are counted.
        let more = holder == nil ? wanted : wanted - capacity
        let taker = memory.take(more, for: self, holder)
        state.withLock { state in
            state.holder = taker
            state.capacity = wanted
            if taker == nil { state.lose() }
        }
        return taker != nil
    }

    /// Releases the memory at once. Later pieces are refused.
    func drop() { state.withLock { $0.lose() } }

    /// - Returns: The complete body, or `nil` if its memory was taken away.
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
