import Synchronization

/// A signal to one reader of a watched query that its result may have changed. Changes while the reader is busy
/// become one.
final class Watcher: Sendable {
    private enum State {
        case idle
        case changed
        case waiting([CheckedContinuation<Bool, Never>])
        case finished
    }

    let database: DatabaseID
    let scope: Query.Scope
    private let state = Mutex(State.changed)

    init(database: DatabaseID, scope: Query.Scope) {
        self.database = database
        self.scope = scope
    }

    /// Waits until the result may have changed since the last call.
    ///
    /// - Returns: `false` if it will never change again: the store was closed, or the task cancelled.
    func nextChange() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let answer = answer(orKeep: continuation) { continuation.resume(returning: answer) }
            }
        } onCancel: {
            finish()
        }
    }

    func notify() { settle(.changed, answer: true) }

    func finish() { settle(.finished, answer: false) }

    private func answer(orKeep continuation: CheckedContinuation<Bool, Never>) -> Bool? {
        state.withLock { state in
            switch state {
            case .changed:
                state = .idle
                return true
            case .finished: return false
            case .idle: state = .waiting([continuation])
            case .waiting(let others): state = .waiting(others + [continuation])
            }
            return nil
        }
    }

    private func settle(_ next: State, answer: Bool) {
        let waiting = state.withLock { state in
            switch state {
            case .finished: return [CheckedContinuation<Bool, Never>]()
            case .waiting(let continuations):
                state = answer ? .idle : next
                return continuations
            case .idle, .changed:
                state = next
                return []
            }
        }
        for continuation in waiting { continuation.resume(returning: answer) }
    }
}

/// The queries being watched. The references are weak: a watcher is released when its reader releases the stream.
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
