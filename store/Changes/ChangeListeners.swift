import Synchronization

/// The listeners to the changes of all databases. The references are weak: a listener ends when its reader releases
/// it. Without listeners, a commit costs one lock.
package final class ChangeListeners: Sendable {
    private struct Entry {
        weak var listener: ChangeListener?
    }

    private struct State {
        var entries: [Entry] = []
        /// The time up to which all changes have been announced.
        var readTime = Timestamp.distantPast
        var isFinished = false

        /// Returns the listeners, and forgets those that were released.
        mutating func listeners() -> [ChangeListener] {
            guard !entries.isEmpty else { return [] }
            let listeners = entries.compactMap(\.listener)
            if listeners.count < entries.count { entries.removeAll { $0.listener == nil } }
            return listeners
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// `true` without a listener that its reader still has.
    package var isEmpty: Bool { state.withLock { $0.listeners().isEmpty } }

    /// Returns a new listener.
    ///
    /// - Parameters:
    ///   - database: the database with the documents.
    ///   - time: the time of a commit that each read from now on contains.
    package func listener(to database: DatabaseID, since time: Timestamp) -> ChangeListener {
        let (listener, isFinished) = state.withLock { state in
            let listener = ChangeListener(to: database, since: max(time, state.readTime))
            state.entries.append(Entry(listener: listener))
            return (listener, state.isFinished)
        }
        if isFinished { listener.finish() }
        return listener
    }

    /// Announces the changes of a group of commits that is on the disk, also of a group that changed no document: a
    /// reader may wait for its time.
    ///
    /// - Parameters:
    ///   - changes: the changes.
    ///   - time: the time of the group's last commit.
    package func notify(of changes: ChangedDocuments, upTo time: Timestamp) {
        for listener in passing(time) { listener.append(changes.all, upTo: time) }
    }

    /// Announces that a database was emptied.
    package func reset(_ database: DatabaseID, at time: Timestamp) {
        for listener in passing(time) {
            if listener.database == database {
                listener.drop(upTo: time)
            } else {
                listener.append([], upTo: time)
            }
        }
    }

    /// Ends all listeners, also those created later.
    package func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            return state.listeners()
        }
        for listener in listeners { listener.finish() }
    }

    private func passing(_ time: Timestamp) -> [ChangeListener] {
        state.withLock { state in
            state.readTime = max(state.readTime, time)
            return state.listeners()
        }
    }
}
