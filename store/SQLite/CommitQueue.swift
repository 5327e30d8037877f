import DequeModule
import Synchronization

/// A commit that waits for its group, and what to tell its result.
struct PendingCommit: Sendable {
    let database: DatabaseID
    let writes: [KeyedWrite]
    let completion: @Sendable (Result<CommitResult, StoreError>) -> Void
}

/// The commits that wait for the writer. While one group is being written the next gathers here.
final class CommitQueue: Sendable {
    private struct State {
        var waiting: Deque<PendingCommit> = []
        var isDraining = false
        var isClosed = false
    }

    private let state = Mutex(State())

    /// - Parameter drain: called when nobody empties the queue yet, to have somebody begin. It must return at once.
    /// - Returns: false when the queue is closed; the commit is not in it then.
    func append(_ commit: PendingCommit, drain: () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.waiting.append(commit)
            // Within the lock, so that whoever closes the queue comes after the drain of what was let in.
            if !state.isDraining { drain() }
            state.isDraining = true
            return true
        }
    }

    /// The commits that were first, or nil when there is none; the one who drains is done then.
    func nextGroup(maximumSize: Int) -> [PendingCommit]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDraining = false
                return nil
            }
            let group = Array(state.waiting.prefix(maximumSize))
            state.waiting.removeFirst(group.count)
            return group
        }
    }

    /// Nothing is let in from now on; what is in stays.
    ///
    /// - Returns: false when the queue was closed before.
    func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    /// How many wait.
    var count: Int { state.withLock(\.waiting.count) }

    var isClosed: Bool { state.withLock(\.isClosed) }
}
