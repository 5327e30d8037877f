import Signals
import Synchronization

/// A signal to one reader of a watched query that its result may have changed. Changes while the reader is busy
/// become one.
package final class Watcher: Sendable {
    private struct State {
        /// The number of changes. The first result counts as one.
        var changes = 1
        /// The number of changes that the reader knows.
        var known = 0
        var isFinished = false
    }

    let database: DatabaseID
    let scope: Query.Scope
    private let state = Mutex(State())
    private let changed = Signal()

    init(database: DatabaseID, scope: Query.Scope) {
        self.database = database
        self.scope = scope
    }

    /// Waits until the result may have changed since the last call.
    ///
    /// - Returns: `false` if it will never change again: the store was closed, or the task cancelled.
    func nextChange() async -> Bool {
        let known = state.withLock(\.known)
        await changed.wait { self.state.withLock { $0.isFinished || $0.changes > known } }
        if Task.isCancelled { finish() }
        return state.withLock { state in
            state.known = state.changes
            return !state.isFinished
        }
    }

    func notify() { change { $0.changes += 1 } }

    package func finish() { change { $0.isFinished = true } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        changed.notify()
    }
}

/// The queries being watched. The references are weak: a watcher is released when its reader releases the stream.
package final class Watchers: Sendable {
    private struct Entry {
        weak var watcher: Watcher?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    package init() {}

    package func add(_ watcher: Watcher) {
        let isFinished = state.withLock { state in
            state.entries = state.entries.filter { $0.value.watcher != nil }
            state.entries[ObjectIdentifier(watcher)] = Entry(watcher: watcher)
            return state.isFinished
        }
        if isFinished { watcher.finish() }
    }

    package func notify(of changes: ChangedDocuments) {
        for watcher in current where changes.concern(watcher.scope, in: watcher.database) { watcher.notify() }
    }

    /// `true` if no query is watched.
    package var isEmpty: Bool { current.isEmpty }

    /// Returns `true` if a query of the database is watched.
    package func watch(_ database: DatabaseID) -> Bool { current.contains { $0.database == database } }

    package func finish() {
        state.withLock { $0.isFinished = true }
        for watcher in current { watcher.finish() }
    }

    private var current: [Watcher] { state.withLock { $0.entries.values.compactMap(\.watcher) } }
}
