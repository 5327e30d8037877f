internal import Metrics
internal import Synchronization

/// The memory for bodies with photos.
///
/// Bodies draw on it as their bytes come, not by the length they announce. A body of a size that any text answer may have
/// draws on nothing, so photos keep no answers out.
final class UploadMemory: Sendable {
    fileprivate struct State {
        var budget: SharedBudget
        var uploads: [SharedBudget.Holder: Upload] = [:]
    }

    /// The size up to which a body draws on nothing, in bytes.
    let freeBytes: Int
    private let state: Mutex<State>
    private let used = Meter(label: "pushgate_humantasks_upload_bytes")
    private let evictions = Counter(label: "pushgate_humantasks_uploads_evicted_total")

    init(_ bytes: Int, freeBytes: Int) {
        self.freeBytes = freeBytes
        state = Mutex(State(budget: SharedBudget(bytes)))
    }

    /// Receives a body and works with it.
    ///
    /// - Parameters:
    ///   - networks: the client's address, and the networks it is in, from the narrowest on.
    ///   - maximum: the most that the body can have, in bytes.
    ///   - read: hands each piece on, until that returns `false`.
    /// - Returns: `nil` if there was not enough memory.
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

    /// Takes memory for an upload, and makes others give theirs back if they have more.
    ///
    /// - Parameter holder: `nil` for the upload's first.
    /// - Returns: `nil` if there is none for it.
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
        // Not under the lock: each has one of its own.
        for upload in evicted { upload.drop() }
        evictions.increment(by: evicted.count)
        return taking.isGranted ? taker : nil
    }

    /// - Returns: whether the upload still has its memory, and keeps it until it ends.
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
