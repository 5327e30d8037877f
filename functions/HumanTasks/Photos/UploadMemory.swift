import Metrics
import Synchronization

/// The memory for bodies with photos.
///
/// Bodies use it as their bytes arrive, not by their announced length. A body up to the size of a text answer uses
/// none of it, so photos never block answers.
final class UploadMemory: Sendable {
    fileprivate struct State {
        var budget: SharedBudget
        var uploads: [SharedBudget.Holder: Upload] = [:]
    }

    /// The size up to which a body uses none of the memory, in bytes.
    let freeBytes: Int
    private let state: Mutex<State>
    private let used = Meter(label: "pushgate_humantasks_upload_bytes")
    private let evictions = Counter(label: "pushgate_humantasks_uploads_evicted_total")

    init(_ bytes: Int, freeBytes: Int) {
        self.freeBytes = freeBytes
        state = Mutex(State(budget: SharedBudget(bytes)))
    }

    /// Receives a body and runs the work on it.
    ///
    /// - Parameters:
    ///   - networks: The client's address and the networks that contain it, narrowest first.
    ///   - maximum: The maximum size of the body, in bytes.
    ///   - read: Passes on each piece until the closure returns `false`.
    /// - Returns: The result of the work, or `nil` if there was not enough memory.
    func receiving<Result>(
        from networks: [String], atMost maximum: Int,
        _ read: (@escaping @Sendable ([UInt8]) -> Bool) async throws -> Void,
        work: ([UInt8]) async throws -> Result
    ) async throws -> Result? {
        let upload = Upload(from: networks, atMost: maximum, in: self)
        defer { upload.end() }
        try await read { upload.append($0) }
        guard let body = upload.finish() else { return nil }
        return try await work(body)
    }

    // MARK: Uploads

    /// Takes memory for an upload. Evicts larger uploads if necessary.
    ///
    /// - Parameter holder: The upload's holder; `nil` for its first reservation.
    /// - Returns: The holder, or `nil` if there is no memory for it.
    func take(_ bytes: Int, for upload: Upload, _ holder: SharedBudget.Holder?) -> SharedBudget.Holder? {
        let (taker, taking, evicted) = state.withLock { state in
            let taker = holder ?? state.budget.begin(upload.networks)
            state.uploads[taker] = upload
            let taking = state.budget.take(bytes, for: taker)
            let evicted = taking.evicted.compactMap { state.uploads.removeValue(forKey: $0) }
            if !taking.isGranted { state.end(taker) }
            used.set(state.budget.used)
            return (taker, taking, evicted)
        }
        // Outside the lock, because each upload has a lock of its own.
        for upload in evicted { upload.drop() }
        evictions.increment(by: evicted.count)
        return taking.isGranted ? taker : nil
    }

    /// - Returns: `true` if the upload still has its memory, which it then keeps until it ends.
    func keep(_ holder: SharedBudget.Holder) -> Bool { state.withLock { $0.budget.keep(holder) } }

    func end(_ holder: SharedBudget.Holder) {
        state.withLock { state in
            state.end(holder)
            used.set(state.budget.used)
        }
    }
}

extension UploadMemory.State {
    fileprivate mutating func end(_ holder: SharedBudget.Holder) {
        budget.end(holder)
        uploads[holder] = nil
    }
}

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
