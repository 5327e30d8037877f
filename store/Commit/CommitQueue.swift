import DequeModule
import Synchronization

/// A commit that waits for its group, and the callback for its result.
package struct PendingCommit: Sendable {
    package enum Work: Sendable {
        /// Writes, and the reads of their transaction, if any, that must be unchanged.
        case writes([KeyedWrite], ifUnchanged: TransactionReads?)
        /// The removal of all documents of the database.
        case removal
        /// No change; later commits have later times than this one.
        case moment(Timestamp)
    }

    package let database: DatabaseID
    package let work: Work
    package let completion: @Sendable (Result<CommitResult, StoreError>) -> Void

    package init(
        database: DatabaseID, work: Work, completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        self.database = database
        self.work = work
        self.completion = completion
    }
}

/// The commits that wait for the writer. The next group collects here while the writer writes one.
package final class CommitQueue: Sendable {
    private struct State {
        var waiting: Deque<PendingCommit> = []
        var isDraining = false
        var isClosed = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Appends a commit.
    ///
    /// - Parameter drain: called if the queue is not being drained, to start the drain. It must return at once.
    /// - Returns: `false` if the queue is closed; it does not contain the commit then.
    package func append(_ commit: PendingCommit, drain: () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.waiting.append(commit)
            // Inside the lock, so that a drain that this starts is scheduled before the queue can be closed.
            if !state.isDraining { drain() }
            state.isDraining = true
            return true
        }
    }

    /// Returns the oldest commits; `nil` if there are none, which ends the drain.
    package func nextGroup(maximumSize: Int) -> [PendingCommit]? {
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

    /// Rejects commits from now on. Those in the queue stay.
    ///
    /// - Returns: `false` if the queue was closed before.
    package func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    /// The number of waiting commits.
    package var count: Int { state.withLock(\.waiting.count) }

    package var isClosed: Bool { state.withLock(\.isClosed) }
}
