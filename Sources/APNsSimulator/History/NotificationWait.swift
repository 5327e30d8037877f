import Synchronization

/// One task's wait for notifications. It ends early if the task is cancelled.
final class NotificationWait: Sendable {
    private enum State {
        case idle, over
        case waiting(id: Int?, CheckedContinuation<Bool, Never>)
    }

    private let history: NotificationHistory
    private let state = Mutex(State.idle)

    init(_ history: NotificationHistory) {
        self.history = history
    }

    /// Waits for a number of matching notifications.
    ///
    /// - Returns: `true` if `count` notifications were received; `false` if the task was cancelled before.
    func reached(_ count: Int, matching filter: NotificationFilter) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard begin(continuation) else { return continuation.resume(returning: false) }
                let id = history.whenReceived(count, matching: filter) { self.end(true) }
                remember(id)
            }
        } onCancel: {
            end(false)
        }
    }

    private func begin(_ continuation: CheckedContinuation<Bool, Never>) -> Bool {
        state.withLock { state in
            if case .over = state { return false }
            state = .waiting(id: nil, continuation)
            return true
        }
    }

    private func remember(_ id: Int?) {
        let isOver = state.withLock { state in
            guard case .waiting(_, let continuation) = state else { return true }
            state = .waiting(id: id, continuation)
            return false
        }
        if isOver, let id { history.giveUp(id) }
    }

    private func end(_ isReached: Bool) {
        let (id, continuation) = state.withLock { state -> (Int?, CheckedContinuation<Bool, Never>?) in
            defer { state = .over }
            guard case .waiting(let id, let continuation) = state else { return (nil, nil) }
            return (id, continuation)
        }
        if let id { history.giveUp(id) }
        continuation?.resume(returning: isReached)
    }
}
