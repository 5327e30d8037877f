import Synchronization

/// The queries being watched. It does not keep them: who stops reading a stream lets go of its watcher.
final class Watchers: Sendable {
    private struct Entry {
        weak var watcher: Watcher?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    func add(_ watcher: Watcher) {
        let isFinished = state.withLock { state in
            state.entries = state.entries.filter { $0.value.watcher != nil }
            state.entries[ObjectIdentifier(watcher)] = Entry(watcher: watcher)
            return state.isFinished
        }
        if isFinished { watcher.finish() }
    }

    func notify(of changes: ChangedDocuments) {
        for watcher in current where changes.concern(watcher.scope, in: watcher.database) { watcher.notify() }
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        for watcher in current { watcher.finish() }
    }

    private var current: [Watcher] { state.withLock { $0.entries.values.compactMap(\.watcher) } }
}
