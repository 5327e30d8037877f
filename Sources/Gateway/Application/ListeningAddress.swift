import Synchronization

/// Where the server listens: known a moment after it starts, and waited for by who wants to tell.
final class ListeningAddress: Sendable {
    private enum State {
        case awaited(by: [CheckedContinuation<String?, Never>])
        case known(String?)
    }

    private let state = Mutex(State.awaited(by: []))

    /// nil when the gateway ended before it listened.
    var url: String? {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> String?? in
                    switch state {
                    case .known(let url): return .some(url)
                    case .awaited(let waiters):
                        state = .awaited(by: waiters + [continuation])
                        return .none
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }

    /// Tells who waits. The first word stands: an end after a start changes nothing.
    func announce(_ url: String?) {
        let waiters = state.withLock { state in
            guard case .awaited(let waiters) = state else { return [CheckedContinuation<String?, Never>]() }
            state = .known(url)
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: url) }
    }
}
