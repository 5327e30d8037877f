import Signals
import Synchronization

/// A listener to the changes of one database, from its creation on, for one reader.
///
/// Changes wait in the listener until the reader takes them. Those of one document become one, so a slow reader costs
/// the memory of a state rather than of a history. Documents are decoded when the reader takes them: the writer only
/// keeps the stored form.
///
/// To follow a query, create the listener first, then read, and skip the changes that are not later than the read.
public final class ChangeListener: Sendable {
    private struct State {
        var pending = PendingChanges()
        /// The time up to which ``pending`` is complete.
        var readTime: Timestamp
        var isFinished = false
    }

    let database: DatabaseID
    private let state: Mutex<State>
    private let changed = Signal()

    /// Makes a listener.
    ///
    /// - Parameters:
    ///   - database: the database with the documents.
    ///   - time: the time of a commit that each read from now on contains.
    init(to database: DatabaseID, since time: Timestamp) {
        self.database = database
        state = Mutex(State(readTime: time))
    }

    /// Waits until ``next()`` returns at once.
    ///
    /// - Throws: `UNAVAILABLE` after the store is closed, `CANCELLED` in a cancelled task.
    public func wait() async throws(StoreError) {
        await changed.wait { self.state.withLock { $0.isFinished || !$0.pending.isEmpty } }
        try check()
    }

    /// Waits for the next changes and takes them. The first are those since the listener's creation.
    ///
    /// - Throws: `UNAVAILABLE` after the store is closed, `CANCELLED` in a cancelled task.
    public func next() async throws(StoreError) -> Changes {
        try await wait()
        return take()
    }

    /// Waits until the changes are complete up to a time and takes them, even if there are none.
    ///
    /// - Parameter time: not later than the last commit, or this waits for the next commit.
    /// - Throws: `UNAVAILABLE` after the store is closed, `CANCELLED` in a cancelled task.
    public func next(upTo time: Timestamp) async throws(StoreError) -> Changes {
        await changed.wait { self.state.withLock { $0.isFinished || $0.readTime >= time } }
        try check()
        return take()
    }

    private func check() throws(StoreError) {
        if state.withLock(\.isFinished) { throw .closed }
        if Task.isCancelled { throw .cancelled }
    }

    private func take() -> Changes {
        let (pending, readTime) = state.withLock { state in
            defer { state.pending = PendingChanges() }
            return (state.pending, state.readTime)
        }
        return Changes(readTime: readTime, content: pending.content())
    }
}

/// The side of the writer.
extension ChangeListener {
    /// Adds the changes of this listener's database.
    func append(_ changes: [ChangedDocument], upTo time: Timestamp) {
        change(upTo: time) { state in
            for change in changes where change.database == database { state.pending.append(change) }
        }
    }

    /// Makes the reader read again.
    func drop(upTo time: Timestamp) { change(upTo: time) { $0.pending.drop() } }

    func finish() { change(upTo: .distantPast) { $0.isFinished = true } }

    private func change(upTo time: Timestamp, _ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.readTime = max(state.readTime, time)
        }
        changed.notify()
    }
}
