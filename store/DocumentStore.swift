import Signals

/// A hierarchical document database with Firestore's model. `store/DESIGN.md` describes the engine.
///
/// An engine provides one instance for each database. Any engine that passes the conformance suite
/// (`Tests/DocumentStoreTests/Conformance`) can serve the gateway: this protocol does not depend on SQLite. An engine
/// of this package implements only `StoreEngine`, its reads and `EngineStore`, and a store in front of another one is a
/// `StoreDecorator`: both get the other members from there.
///
/// Limits, names and error codes are Firestore's ([quotas](https://firebase.google.com/docs/firestore/quotas)): a
/// document has at most 1 MiB, an id 1,500 UTF-8 bytes, a path 100 segments, and values nest at most 20 deep.
///
/// Each function fails with `UNAVAILABLE` after the store is closed. In a cancelled task a read may fail with
/// `CANCELLED`; a commit takes effect nevertheless.
public protocol DocumentStore: DocumentReader {
    /// The time of a commit that all reads from now on contain, with all commits before it.
    var readTime: Timestamp { get }

    /// Returns the present time, once all commits with earlier times are readable. All later commits have later times.
    func presentTime() async throws(StoreError) -> Timestamp

    /// Returns the reads of the database's state at a time, which includes a commit at that time.
    ///
    /// An engine keeps old states for an hour, in the databases for which it is set up to do so. In other databases,
    /// only a time since which nothing has changed can be read. The reads fail in the same way as this function once
    /// the state is not kept any longer.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the time is in the future; `FAILED_PRECONDITION` if the state is not kept.
    func snapshot(at time: Timestamp) async throws(StoreError) -> any DocumentReader

    /// Applies all writes at one commit time, or none of them, and calls the completion afterwards. Writes that are
    /// reported as applied survive a crash of the machine.
    ///
    /// The commit fails with `INVALID_ARGUMENT` if a write is not valid or cannot succeed after an earlier one of the
    /// commit, or if the commit is too large for others to wait for; with `NOT_FOUND`, `ALREADY_EXISTS` or
    /// `FAILED_PRECONDITION` if a precondition does not hold, and with `RESOURCE_EXHAUSTED` if the disk is full.
    ///
    /// With the reads of a transaction, it fails with `ABORTED` if a document that was read, or the result of a query,
    /// has changed or may have changed. The writes themselves do not conflict with the reads. It reads nothing again
    /// and waits for no other transaction, so one of several that conflict succeeds.
    ///
    /// - Parameters:
    ///   - writes: the changes, applied in their order; several may change one document.
    ///   - options: the conditions of the commit as a whole.
    ///   - completion: called once, on any thread; it must not block.
    func commit(
        _ writes: [Write], with options: CommitOptions,
        completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void)

    /// Calls the completion with the result of the commit of a transaction, after the commits that are under way.
    /// Engines keep results for an hour, also over restarts.
    ///
    /// It fails with `NOT_FOUND` if no such commit has succeeded, and with `INVALID_ARGUMENT` if it had other writes.
    ///
    /// - Parameters:
    ///   - identity: the name that the commit had.
    ///   - completion: called once, on any thread; it must not block.
    func outcome(
        of identity: CommitIdentity, completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void)

    /// Returns the documents that match the query now, and again after each commit that changes them. A slow reader
    /// receives the newest state and skips the states in between. The stream ends when the store closes, or when the
    /// task that reads it is cancelled. It throws a ``StoreError`` if the query is not valid or cannot be read.
    func watch(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error>

    /// Returns a listener for the changes of this database's documents from now on.
    func listener() -> ChangeListener
}

extension DocumentStore {
    /// Applies all writes as ``commit(_:with:completion:)`` does without conditions.
    public func commit(_ writes: [Write], completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void) {
        commit(writes, with: CommitOptions(), completion: completion)
    }

    /// Applies all writes at one commit time, or none of them. When this returns, the writes survive a crash of the
    /// machine.
    ///
    /// - Throws: `INVALID_ARGUMENT` if a write is not valid or cannot succeed after an earlier one; `NOT_FOUND`,
    ///   `ALREADY_EXISTS` or `FAILED_PRECONDITION` if a precondition does not hold; `RESOURCE_EXHAUSTED` if the disk is
    ///   full.
    public func commit(_ writes: [Write]) async throws(StoreError) -> CommitResult {
        try await result(of: writes, with: CommitOptions())
    }

    /// Commits documents of another store, whose references may have ids that only earlier versions accepted.
    ///
    /// - Throws: the errors of ``commit(_:)``.
    package func commitTransferred(_ writes: [Write]) async throws(StoreError) -> CommitResult {
        try await result(of: writes, with: .transfer)
    }

    /// Commits the writes if nothing that a transaction has read has changed since then.
    ///
    /// - Throws: `ABORTED` if a read has changed or may have changed; the errors of ``commit(_:)``.
    public func commit(
        _ writes: [Write], ifUnchanged reads: TransactionReads
    ) async throws(StoreError) -> CommitResult {
        try await result(of: writes, with: CommitOptions(ifUnchanged: reads))
    }

    private func result(of writes: [Write], with options: CommitOptions) async throws(StoreError) -> CommitResult {
        let result = await withCheckedContinuation { continuation in
            commit(writes, with: options) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Commits the writes for a caller that may go away: if the task is cancelled before the commit has its turn,
    /// nothing is applied.
    ///
    /// - Throws: `CANCELLED` if nothing was applied because nobody waited any longer; the errors of ``commit(_:)``, and
    ///   those of ``commit(_:ifUnchanged:)``.
    public func commitUnlessCancelled(
        _ writes: [Write], with options: CommitOptions = CommitOptions()
    ) async throws(StoreError) -> CommitResult {
        let (caller, isAwaited) = (AwaitingCaller(), options.isAwaited)
        var conditions = options
        conditions.isAwaited = { caller.isAwaiting && isAwaited?() != false }
        let result: Result<CommitResult, StoreError> = await withTaskCancellationHandler { [conditions] in
            await withCheckedContinuation { continuation in
                commit(writes, with: conditions) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            caller.leave()
        }
        return try result.get()
    }

    /// Returns the result of the commit of a transaction; `nil` if none has succeeded in the last hour.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the commit had other writes.
    public func outcome(of identity: CommitIdentity) async throws(StoreError) -> CommitResult? {
        let result = await withCheckedContinuation { continuation in
            outcome(of: identity) { continuation.resume(returning: $0) }
        }
        do throws(StoreError) {
            return try result.get()
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }
}
