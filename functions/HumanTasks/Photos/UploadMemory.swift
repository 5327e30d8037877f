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
