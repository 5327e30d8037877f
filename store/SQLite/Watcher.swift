import Synchronization

/// Tells one reader of a watched query that its result may have changed. Changes that come while it is busy become one.
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

    /// Waits until something may have changed since the last time.
    ///
    /// - Returns: false when nothing ever will: the store was closed, or the task cancelled.
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
